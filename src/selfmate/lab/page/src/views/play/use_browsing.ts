// Looking through a game: with the arrow keys or by clicking moves.
import { useEffect, useState } from "preact/hooks";
import type { Game } from "./game";

/** `shown` is how many moves of the game are on the board. */
export function useBrowsing(game: Game) {
  const [at, setAt] = useState<number | null>(null); // null follows the game
  const last = game.moves.length;
  const shown = Math.min(at ?? last, last);
  const go = (to: number) => setAt(to >= last ? null : Math.max(0, to));
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
      const to = placesOf(shown, last)[event.key];
      if (to === undefined) return;
      event.preventDefault();
      go(to);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [shown, last]);
  return { shown, isNow: shown === last, go, follow: () => setAt(null) };
}

function placesOf(shown: number, last: number): Record<string, number> {
  return { ArrowLeft: shown - 1, ArrowRight: shown + 1, ArrowUp: 0, ArrowDown: last };
}

function isTyping(target: EventTarget | null): boolean {
  const typed = "input:not([type=checkbox]), select, textarea, [role=dialog]";
  return target instanceof Element && target.closest(typed) !== null;
}
