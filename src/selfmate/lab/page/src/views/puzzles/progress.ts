// What somebody has solved in this browser: a rating, a streak, and the first result of each puzzle.
import type { PuzzleRow } from "../../types";

export type Progress = { rating: number; streak: number; best: number; results: Record<number, boolean> };

const KEY = "selfmate-puzzles";
const FIRST: Progress = { rating: 1000, streak: 0, best: 0, results: {} };
const STEP = 40; // the most that one puzzle changes the rating

export function storedProgress(): Progress {
  try {
    return { ...FIRST, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Progress>) };
  } catch {
    return FIRST;
  }
}

export function storeProgress(progress: Progress): void {
  localStorage.setItem(KEY, JSON.stringify(progress));
}

/** Only the first result of a puzzle counts. The rating moves as Elo's does, as if against the puzzle. */
export function withResult(progress: Progress, puzzle: PuzzleRow, solved: boolean): Progress {
  if (puzzle.number in progress.results) return progress;
  const expected = 1 / (1 + 10 ** ((puzzle.rating - progress.rating) / 400));
  const streak = solved ? progress.streak + 1 : 0;
  return {
    rating: progress.rating + STEP * ((solved ? 1 : 0) - expected),
    streak,
    best: Math.max(progress.best, streak),
    results: { ...progress.results, [puzzle.number]: solved },
  };
}

/** The puzzle nearest to the rating that was not tried yet; then those that failed; then all again. */
export function nextPuzzle(rows: PuzzleRow[], progress: Progress, current: number): number {
  const others = rows.filter((row) => row.number !== current);
  const fresh = others.filter((row) => !(row.number in progress.results));
  const failed = others.filter((row) => progress.results[row.number] === false);
  const choice = fresh.length > 0 ? fresh : failed.length > 0 ? failed : others;
  const distance = (row: PuzzleRow) => Math.abs(row.rating - progress.rating);
  return choice.reduce((best, row) => (distance(row) < distance(best) ? row : best), choice[0]!).number;
}
