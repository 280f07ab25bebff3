// What the review says about a move, and about each side's play.
import type { Color } from "chessgroundx/types";
import { percent } from "../../format";
import type { ReviewData, ReviewedPosition, SideSummary } from "../../types";

const WORDS = { blunder: "a blunder", mistake: "a mistake", inaccuracy: "an inaccuracy" } as const;

type Props = { review: ReviewData; shown: number; tryAgain: string | null };

export function MoveReview({ review, shown, tryAgain }: Props) {
  const position = review.positions[shown]!;
  const before = review.positions[shown - 1];
  if (before === undefined)
    return <p class="verdict">Step through the game, or press Next mistake. Green arrows show better moves.</p>;
  const best = before.best;
  const isBest = best !== null && best.move === position.move;
  return (
    <div class="verdict card" aria-label="This move">
      <p>
        <b>{position.san}</b> {position.loss === null ? "is not evaluated yet." : verdictText(position, isBest)}
      </p>
      {best !== null && !isBest && (
        <p>
          Best was <b>{best.san}</b>
          {best.judgement !== null && ` (${best.judgement})`}: <span class="quiet">{best.line.join(" ")}</span>
        </p>
      )}
      {tryAgain !== null && (
        <a class="button" href={tryAgain}>
          Try again from here
        </a>
      )}
    </div>
  );
}

function verdictText({ loss, mark }: ReviewedPosition, isBest: boolean): string {
  if (isBest) return "is the best move.";
  if (mark === null) return `is fine: it loses ${percent(loss!)} of the winning chances.`;
  return `is ${WORDS[mark]}: it loses ${percent(loss!)} of the winning chances.`;
}

/** `side` is the one that the reader played. */
export function SideTable({ review, side }: { review: ReviewData; side: Color | null }) {
  const rows: [string, (one: SideSummary) => string | number][] = [
    ["Blunders", (one) => one.blunders],
    ["Mistakes", (one) => one.mistakes],
    ["Inaccuracies", (one) => one.inaccuracies],
    ["Average loss", (one) => (one.average_loss === null ? "–" : percent(one.average_loss))],
  ];
  return (
    <table class="sides" aria-label="Both sides">
      <thead>
        <tr>
          <td />
          <th scope="col">White{side === "white" && " (you)"}</th>
          <th scope="col">Black{side === "black" && " (you)"}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([title, of]) => (
          <tr key={title}>
            <th scope="row">{title}</th>
            <td>{of(review.white)}</td>
            <td>{of(review.black)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
