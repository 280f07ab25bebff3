// The game of this tab, kept so that a reload goes on with it, even after the lab was restarted.
import type { Choice, Game } from "./game";

export type Kept = {
  id: string;
  choice: Choice;
  moves: string[];
  left_seconds: [number, number] | null;
  resigned: boolean;
};

const KEY = "selfmate-game";

export function keep(game: Game, choice: Choice): void {
  const left = game.clock?.left_seconds;
  const kept: Kept = {
    id: game.id,
    choice: { ...choice, side: game.person ?? "watch" },
    moves: game.moves.map((ply) => ply.move),
    left_seconds: left ? [left.white, left.black] : null,
    resigned: game.end?.reason === "resignation",
  };
  sessionStorage.setItem(KEY, JSON.stringify(kept));
}

export function kept(): Kept | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Kept | null;
  } catch {
    return null;
  }
}

export function forget(): void {
  sessionStorage.removeItem(KEY);
}

/** What the lab is asked for to go on with a game that it no longer knows. */
export function restoring({ choice, moves, left_seconds }: Kept) {
  const clock = choice.clock && { ...choice.clock, left_seconds };
  return { ...choice, clock, moves };
}
