// The moves of a game, to be clicked.
import { useEffect, useRef } from "preact/hooks";
import type { Game, Ply } from "./game";
import { turnOf } from "./game";

type Props = { game: Game; shown: number; onGo: (to: number) => void };
type Cell = { ply: Ply; number: number };

export function Moves({ game, shown, onGo }: Props) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const box = list.current;
    const current = box?.querySelector<HTMLElement>("[aria-current]");
    if (!box || !current) return;
    const row = current.offsetTop - box.offsetTop;
    if (row < box.scrollTop || row + current.offsetHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = row - box.clientHeight / 2;
  }, [shown, game.moves.length]);
  if (game.moves.length === 0) return <p class="moves quiet">No moves yet.</p>;
  return (
    <ol class="moves" ref={list} aria-label="Moves" tabIndex={-1}>
      {rowsOf(game).map((row) => (
        <li key={row.number}>
          <span class="quiet">{row.number}.</span>
          {row.cells.map((cell) =>
            cell === null ? (
              <span class="quiet">...</span>
            ) : (
              <button
                type="button"
                key={cell.number}
                aria-current={cell.number === shown ? "true" : undefined}
                onClick={() => onGo(cell.number)}
              >
                {cell.ply.san}
              </button>
            ),
          )}
        </li>
      ))}
    </ol>
  );
}

/** White's and Black's move under one number; a game may begin with Black's. */
function rowsOf(game: Game): { number: number; cells: (Cell | null)[] }[] {
  const first = Number(game.start.fen.split(" ")[5] ?? 1);
  const cells: (Cell | null)[] = game.moves.map((ply, at) => ({ ply, number: at + 1 }));
  if (turnOf(game.start.fen) === "black") cells.unshift(null);
  const rows = [];
  for (let at = 0; at < cells.length; at += 2)
    rows.push({ number: first + at / 2, cells: cells.slice(at, at + 2) });
  return rows;
}
