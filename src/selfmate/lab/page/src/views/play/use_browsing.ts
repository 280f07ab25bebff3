// Looking through a game: with keys and buttons, or by clicking moves.
import { useState } from "preact/hooks";
import { useStepKeys } from "../../moves";
import type { Game } from "./game";

/** `shown` is how many moves of the game are on the board. */
export function useBrowsing(game: Game) {
  const [at, setAt] = useState<number | null>(null); // null follows the game
  const last = game.moves.length;
  const shown = Math.min(at ?? last, last);
  const kept = (to: number) => (to >= last ? null : Math.max(0, to));
  const step = (by: number) => setAt((now) => kept((now ?? last) + by));
  useStepKeys(step);
  return {
    shown,
    isNow: shown === last,
    go: (to: number) => setAt(kept(to)),
    step,
    follow: () => setAt(null),
  };
}
