// The line on the desk: every move a button, and arrows through it.
import type { Desk } from "./types";

type MovesProps = { desk: Desk; onGo: (ply: number) => void; onStep: (plies: number) => void };

export function MoveList({ desk, onGo, onStep }: MovesProps) {
  const fields = desk.start.split(" ");
  const first = 2 * (Number(fields[5] ?? 1) - 1) + (fields[1] === "b" ? 1 : 0);
  const atStart = desk.ply === 0;
  const atEnd = desk.ply === desk.moves.length;
  return (
    <div class="line-of-moves">
      <div class="line steps" role="group" aria-label="Through the game">
        <button disabled={atStart} onClick={() => onGo(0)} aria-label="To the start">
          «
        </button>
        <button disabled={atStart} onClick={() => onStep(-1)} aria-label="One move back">
          ‹
        </button>
        <button disabled={atEnd} onClick={() => onStep(1)} aria-label="One move on">
          ›
        </button>
        <button disabled={atEnd} onClick={() => onGo(desk.moves.length)} aria-label="To the end">
          »
        </button>
      </div>
      <ol class="sans" aria-label="Moves">
        {desk.sans.length === 0 && <li class="quiet">Move a piece, or paste a game.</li>}
        {desk.sans.map((san, at) => (
          <li key={at}>
            {numberBefore(first + at, at === 0)}
            <button
              aria-current={at + 1 === desk.ply ? "step" : undefined}
              onClick={() => onGo(at + 1)}
            >
              {san}
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

function numberBefore(ply: number, isFirst: boolean): string {
  const number = Math.floor(ply / 2) + 1;
  if (ply % 2 === 0) return `${number}. `;
  return isFirst ? `${number}... ` : "";
}
