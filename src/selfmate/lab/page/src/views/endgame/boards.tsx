// The same position twice: exact values of the moves, and the values that a run has learned.
import { Board } from "../../board";
import { linkTo } from "../../place";
import type { EndgameData, MiniMove, MiniPosition } from "../../types";
import type { Game } from "./game";

/** Exact values, or those of a run. */
export type ValueSource = "exact" | "learned";
export type Coloured = "all" | "K" | "Q" | "enemy";

type BoardsProps = {
  size: number;
  game: Game;
  coloured: Coloured;
  run: string | null;
  data: EndgameData | null;
  hasError: boolean;
  onPlay: (move: string) => void;
};

export function Boards({ size, game, coloured, run, data, hasError, onPlay }: BoardsProps) {
  const { position, ended, lastMove } = game;
  const { fen, pieces } = ended === null ? position : ended.after;
  const places = `king on ${pieces.K}, queen on ${pieces.Q}, lone king on ${pieces.k}`;
  const board = (source: ValueSource, title: string) => (
    <HeatBoard
      size={size}
      fen={fen}
      cells={ended === null ? cellsOf(position, source, coloured) : []}
      best={position.value}
      moves={ended === null ? destinations(position) : {}}
      lastMove={lastMove}
      title={title}
      places={places}
      onMove={(from, to) => {
        const move = position.moves.find((one) => one.from === from && one.to === to);
        if (move) onPlay(move.name);
      }}
    />
  );
  return (
    <div class="boards">
      <figure>
        <figcaption>Exact</figcaption>
        {board("exact", "Exact values")}
        <Legend />
      </figure>
      <figure>
        <figcaption>
          Learned
          {data?.step != null && (
            <>
              {" by "}
              <a href={linkTo("train", { run: data.name })}>{data.name}</a>
            </>
          )}
        </figcaption>
        {position.learned ? (
          <>
            {board("learned", "Learned values")}
            {ended === null && <Verdict position={position} />}
          </>
        ) : (
          <NoRun run={run} hasError={hasError} />
        )}
      </figure>
    </div>
  );
}

function Verdict({ position }: { position: MiniPosition }) {
  const learned = position.learned!;
  return (
    <p class={`verdict ${learned.is_optimal ? "good" : "bad"}`}>
      {learned.is_optimal
        ? `✓ It would play ${learned.best}, a best move.`
        : `✗ It would play ${learned.best}, worth ${learned.regret.toFixed(3)} less than ${position.best}.`}
    </p>
  );
}

function NoRun({ run, hasError }: { run: string | null; hasError: boolean }) {
  return (
    <div class="no-run">
      {run !== null && !hasError ? (
        <p>{run} has no checkpoint yet. Its values appear here with the first one.</p>
      ) : (
        <>
          <p>Let a net learn this game from nothing, and see its values here.</p>
          <a class="button" href={linkTo("train", { learner: "ddqn" })}>
            Train one
          </a>
          <p class="quiet">It takes about half a minute. Choose a trained run above.</p>
        </>
      )}
    </div>
  );
}

function destinations(position: MiniPosition): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const move of position.moves) (found[move.from] ??= []).push(move.to);
  return found;
}

type Cell = { square: string; piece: string; value: number; mark: "" | "best" | "mistake" };

const STEEPNESS = 4; // most values are just below the best

/** From 0, a draw or worse, to 1, as good as the best move of the position. */
function heatOf(value: number, best: number): number {
  const share = (value + 1) / (best + 1);
  return Math.min(1, Math.max(0, share)) ** STEEPNESS;
}

/** The values in the squares; of two moves to one square the better one. */
function cellsOf(position: MiniPosition, source: ValueSource, coloured: Coloured): Cell[] {
  if (coloured === "enemy")
    return position.enemy_squares.map((one) => ({
      square: one.square,
      piece: "",
      value: one[source] ?? 0,
      mark: "",
    }));
  const cells = new Map<string, Cell>();
  for (const move of position.moves) {
    const piece = move.name[0]!;
    if (coloured !== "all" && piece !== coloured) continue;
    const value = move[source] ?? 0;
    const other = cells.get(move.to);
    if (other === undefined || value > other.value)
      cells.set(move.to, { square: move.to, piece, value, mark: markOf(move, position, source) });
  }
  return [...cells.values()];
}

/** Marks all best moves, or the one that the run would play. */
function markOf(move: MiniMove, position: MiniPosition, source: ValueSource): Cell["mark"] {
  if (source === "learned" && move.name !== position.learned?.best) return "";
  if (move.is_best) return "best";
  return source === "learned" ? "mistake" : "";
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

function HeatBoard(props: HeatBoardProps) {
  const { size, cells, best, title } = props;
  return (
    <div class={`heat-board size${size}`}>
      <ul class="heat" aria-label={title}>
        {cells.map((cell) => (
          <HeatCell key={cell.square} cell={cell} size={size} heat={heatOf(cell.value, best)} />
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

function HeatCell({ cell, size, heat }: { cell: Cell; size: number; heat: number }) {
  const column = cell.square.charCodeAt(0) - "a".charCodeAt(0);
  const row = Number(cell.square[1]) - 1;
  const place = {
    left: `${(100 * column) / size}%`,
    bottom: `${(100 * row) / size}%`,
    width: `${100 / size}%`,
    height: `${100 / size}%`,
    background: colourOf(heat),
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

function colourOf(heat: number): string {
  const middle = "#e8c15a";
  return heat < 0.5
    ? `color-mix(in oklab, ${middle} ${Math.round(200 * heat)}%, #d0594a)`
    : `color-mix(in oklab, #3f9b54 ${Math.round(200 * (heat - 0.5))}%, ${middle})`;
}

function Legend() {
  return (
    <p class="legend quiet">
      <span>draw or lost time</span>
      <span class="scale" aria-hidden="true" />
      <span>mates soonest</span>
    </p>
  );
}
