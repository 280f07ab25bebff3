// A watched game goes on by itself, at the watcher's pace.
import { useEffect, useState } from "preact/hooks";
import type { Game } from "./game";

export const PACES = { slow: 2500, normal: 1000, fast: 250 } as const;
export type Pace = keyof typeof PACES;

export function useWatching(game: Game, step: () => void) {
  const [isPaused, setPaused] = useState(false);
  const [pace, setPace] = useState<Pace>("normal");
  const isWaiting =
    game.person === null && game.end === null && !game.thinking && game.problem === null;
  useEffect(() => {
    if (!isWaiting || isPaused) return;
    const waiting = setTimeout(step, PACES[pace]);
    return () => clearTimeout(waiting);
  }, [isWaiting, isPaused, pace, game.version]);
  return { isPaused, setPaused, pace, setPace, isWaiting };
}

export type Watching = ReturnType<typeof useWatching>;
