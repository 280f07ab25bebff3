// A board whose squares are coloured by what it is worth to go there.
import { Board } from "../../board";
import type { Move, Position, Shown, Whose } from "./types";

export type Cell = { square: string; piece: string; value: number; mark: "" | "best" | "mistake" };

const STEEPNESS = 4; // values just below the best are most of what there is to see

/** From 0, a draw or worse, to 1, as good as the best move of the position. */
export function warmth(value: number, best: number): number {
  const share = (value + 1) / (best + 1);
  return Math.min(1, Math.max(0, share)) ** STEEPNESS;
}

/** What stands in the squares; of two moves to one square the better one. */
export function cellsOf(position: Position, whose: Whose, shown: Shown): Cell[] {
  if (shown === "enemy")
    return position.enemy_squares.map((one) => ({
      square: one.square,
      piece: "",
      value: one[whose] ?? 0,
      mark: "",
    }));
  const cells = new Map<string, Cell>();
  for (const move of position.moves) {
    const piece = move.name[0]!;
    if (shown !== "all" && piece !== shown) continue;
    const value = move[whose] ?? 0;
    const other = cells.get(move.to);
    if (other === undefined || value > other.value)
      cells.set(move.to, { square: move.to, piece, value, mark: markOf(move, position, whose) });
  }
  return [...cells.values()];
}

/** All best moves, or the one that the learner would play. */
function markOf(move: Move, position: Position, whose: Whose): Cell["mark"] {
  if (whose === "learned" && move.name !== position.learned?.best) return "";
  if (move.is_best) return "best";
  return whose === "learned" ? "mistake" : "";
}

type HeatBoardProps = {
  size: number;
  fen: string;
  cells: Cell[];
  best: number;
  moves: Record<string, string[]>;
  lastMove: [string, string] | null;
  title: string;
  places: string;
  onMove: (from: string, to: string) => void;
};

export function HeatBoard(props: HeatBoardProps) {
  const { size, cells, best, title } = props;
  return (
    <div class={`heat-board size${size}`}>
      <ul class="heat" aria-label={title}>
        {cells.map((cell) => (
          <HeatCell key={cell.square} cell={cell} size={size} warmth={warmth(cell.value, best)} />
        ))}
      </ul>
      <Board
        fen={props.fen}
        size={size}
        turn="white"
        moves={props.moves}
        lastMove={props.lastMove}
        label={`${title}: ${props.places}`}
        onMove={props.onMove}
      />
    </div>
  );
}

function HeatCell({ cell, size, warmth }: { cell: Cell; size: number; warmth: number }) {
  const column = cell.square.charCodeAt(0) - "a".charCodeAt(0);
  const row = Number(cell.square[1]) - 1;
  const place = {
    left: `${(100 * column) / size}%`,
    bottom: `${(100 * row) / size}%`,
    width: `${100 / size}%`,
    height: `${100 / size}%`,
    background: colourOf(warmth),
  };
  return (
    <li class={cell.mark} style={place} data-square={cell.square}>
      <span class="value">
        {cell.piece && <small>{cell.piece}</small>}
        {cell.value.toFixed(2).replace("-0.00", "0.00")}
      </span>
    </li>
  );
}

export function colourOf(warmth: number): string {
  const middle = "#e8c15a";
  return warmth < 0.5
    ? `color-mix(in oklab, ${middle} ${Math.round(200 * warmth)}%, #d0594a)`
    : `color-mix(in oklab, #3f9b54 ${Math.round(200 * (warmth - 0.5))}%, ${middle})`;
}

export function Legend() {
  return (
    <p class="legend quiet">
      <span>draw or lost time</span>
      <span class="scale" aria-hidden="true" />
      <span>mates soonest</span>
    </p>
  );
}
