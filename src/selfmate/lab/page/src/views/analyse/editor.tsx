// A board to set up: choose a piece, then press squares. The server says whether it can be played.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Choice } from "../../choice";

const EMPTY = "";
const ROWS = [
  ["K", "Q", "R", "B", "N", "P"],
  ["k", "q", "r", "b", "n", "p"],
];
const NAMES: Record<string, string> = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const CASTLING = [
  ["K", "White short"],
  ["Q", "White long"],
  ["k", "Black short"],
  ["q", "Black long"],
] as const;
const SIDES = [
  ["w", "White"],
  ["b", "Black"],
] as const;

type Props = {
  fen: string;
  flipped: boolean;
  onUse: (fen: string) => void;
  onCancel: () => void;
  /** Why the position cannot be used. */
  children: ComponentChildren;
};

export function Editor({ fen, flipped, onUse, onCancel, children }: Props) {
  const [placed, turnNow, castlingNow] = fen.split(" ");
  const [squares, setSquares] = useState(() => squaresOf(placed!));
  const [tool, setTool] = useState("P");
  const [turn, setTurn] = useState<"w" | "b">(turnNow === "b" ? "b" : "w");
  const [castling, setCastling] = useState(castlingNow === "-" ? "" : (castlingNow ?? ""));
  const put = (at: number) =>
    setSquares(squares.map((piece, one) => (one !== at ? piece : piece === tool ? EMPTY : tool)));
  const order = Array.from({ length: 64 }, (_, at) => (flipped ? 63 - at : at));
  const result = `${placementOf(squares)} ${turn} ${castling || "-"} - 0 1`;
  return (
    <div class="editor" role="group" aria-label="Board editor">
      <div class="squares cg-wrap">
        {order.map((at) => (
          <button
            type="button"
            key={at}
            class={(at + (at >> 3)) % 2 === 0 ? "light" : "dark"}
            aria-label={`${nameOf(at)}: ${pieceName(squares[at]!)}`}
            onClick={() => put(at)}
          >
            <Piece piece={squares[at]!} />
          </button>
        ))}
      </div>
      <div class="settings">
        <p class="quiet">Choose a piece, then press squares. The same piece again, or ✕, empties a square.</p>
        <div class="tools cg-wrap" role="radiogroup" aria-label="Piece to place">
          {[...ROWS[0]!, EMPTY, ...ROWS[1]!].map((piece) => (
            <button
              type="button"
              key={piece}
              role="radio"
              aria-checked={piece === tool}
              aria-label={pieceName(piece)}
              onClick={() => setTool(piece)}
            >
              {piece === EMPTY ? "✕" : <Piece piece={piece} />}
            </button>
          ))}
        </div>
        <Choice legend="To move" options={SIDES} value={turn} onChoose={setTurn} />
        <fieldset class="castling">
          <legend>Castling</legend>
          {CASTLING.map(([letter, title]) => (
            <label key={letter}>
              <input
                type="checkbox"
                checked={castling.includes(letter)}
                onChange={() => setCastling(toggled(castling, letter))}
              />
              {title}
            </label>
          ))}
        </fieldset>
        <div class="line">
          <button type="button" class="main" onClick={() => onUse(result)}>
            Use this position
          </button>
          <button type="button" onClick={() => setSquares(squaresOf("8/8/8/8/8/8/8/8"))}>
            Clear
          </button>
          <button type="button" onClick={() => setSquares(squaresOf(START))}>
            Start position
          </button>
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        </div>
        {children}
      </div>
    </div>
  );
}

function Piece({ piece }: { piece: string }) {
  if (piece === EMPTY) return null;
  return <piece class={`${piece.toLowerCase()}-piece ${piece < "a" ? "white" : "black"}`} />;
}

function pieceName(piece: string): string {
  if (piece === EMPTY) return "empty";
  return `${piece < "a" ? "white" : "black"} ${NAMES[piece.toLowerCase()]}`;
}

function nameOf(at: number): string {
  return `${"abcdefgh"[at % 8]}${8 - Math.floor(at / 8)}`;
}

function toggled(castling: string, letter: string): string {
  return CASTLING.map(([one]) => one)
    .filter((one) => castling.includes(one) !== (one === letter))
    .join("");
}

/** From a8 to h1, as in a FEN. */
function squaresOf(placed: string): string[] {
  return [...placed.replaceAll("/", "")].flatMap((one) =>
    /\d/.test(one) ? Array.from({ length: Number(one) }, () => EMPTY) : [one],
  );
}

function placementOf(squares: string[]): string {
  const rows = Array.from({ length: 8 }, (_, row) => squares.slice(8 * row, 8 * row + 8));
  return rows.map((row) => row.map((one) => one || "1").join("").replace(/1+/g, (run) => String(run.length))).join("/");
}
