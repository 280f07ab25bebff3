// What each side has captured, and who is ahead: told by the pieces that are missing on the board.
import type { Color } from "chessgroundx/types";

const VALUES = { q: 9, r: 5, b: 3, n: 3, p: 1 } as const;
type Letter = keyof typeof VALUES;
const LETTERS = Object.keys(VALUES) as Letter[];
const NAMES: Record<Letter, string> = { q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };

type Counts = Record<Letter, number>;

/** `start` is the FEN of the game's start: a piece that never was cannot be captured. */
export function capturedBy(side: Color, start: string, fen: string): Counts {
  const [before, now] = [countsOf(start, side === "black"), countsOf(fen, side === "black")];
  const promoted = LETTERS.filter((one) => one !== "p").map((one) => Math.max(0, now[one] - before[one]));
  const counts = { ...before };
  for (const one of LETTERS) counts[one] = Math.max(0, before[one] - now[one]);
  // A pawn that was promoted is gone, but nobody captured it.
  counts.p = Math.max(0, counts.p - promoted.reduce((sum, one) => sum + one, 0));
  return counts;
}

/** In pawns, in the view of a side. */
export function materialLead(side: Color, fen: string): number {
  const sum = (white: boolean) => {
    const counts = countsOf(fen, white);
    return LETTERS.reduce((total, one) => total + VALUES[one] * counts[one], 0);
  };
  const white = sum(true) - sum(false);
  return side === "white" ? white : -white;
}

function countsOf(fen: string, white: boolean): Counts {
  const placed = fen.split(" ")[0]!;
  const count = (one: Letter) => placed.split(white ? one.toUpperCase() : one).length - 1;
  return Object.fromEntries(LETTERS.map((one) => [one, count(one)])) as Counts;
}

export function Captured({ side, start, fen }: { side: Color; start: string; fen: string }) {
  const counts = capturedBy(side, start, fen);
  const lead = materialLead(side, fen);
  const taken = LETTERS.filter((one) => counts[one] > 0);
  if (taken.length === 0 && lead <= 0) return null;
  const words = taken.map((one) => `${counts[one]} ${NAMES[one]}${counts[one] > 1 ? "s" : ""}`);
  const ahead = lead > 0 ? `ahead by ${lead}` : "";
  const color = side === "white" ? "black" : "white";
  return (
    <span class="captured cg-wrap" role="img" aria-label={[...words, ahead].filter(Boolean).join(", ")}>
      {taken.map((one) => (
        <span key={one}>
          {Array.from({ length: counts[one] }, (_, at) => (
            <piece key={at} class={`${one}-piece ${color}`} />
          ))}
        </span>
      ))}
      {lead > 0 && <small>+{lead}</small>}
    </span>
  );
}
