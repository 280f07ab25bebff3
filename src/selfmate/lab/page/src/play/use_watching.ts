// A watched game goes on by itself, at the watcher's pace.
import { useEffect, useState } from "preact/hooks";
import type { Game } from "./game";

export const PACES = { slow: 2500, normal: 1000, fast: 250 } as const;
export type Pace = keyof typeof PACES;

export function useWatching(game: Game | null, isOpen: boolean, step: () => void) {
  const [isPaused, setPaused] = useState(false);
  const [pace, setPace] = useState<Pace>("normal");
  const isWaiting =
    game !== null && game.person === null && game.end === null && !game.thinking && game.problem === null;
  useEffect(() => setPaused(false), [game?.id]);
  useEffect(() => {
    if (!isWaiting || isPaused || !isOpen) return;
    const waiting = setTimeout(step, PACES[pace]);
    return () => clearTimeout(waiting);
  }, [isWaiting, isPaused, isOpen, pace, game?.id, game?.version]);
  return { isPaused, setPaused, pace, setPace, isWaiting };
}

export type Watching = ReturnType<typeof useWatching>;
