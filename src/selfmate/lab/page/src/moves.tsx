// The moves of a game, to be clicked, and the buttons and keys that lead through them.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import "./moves.css";

type MovesProps = {
  /** The FEN of the start. */
  start: string;
  sans: string[];
  /** How many of them are on the board. */
  shown: number;
  /** So many first ones come from an opening book. */
  book?: number;
  /** What is said about some of them, by their number; also the class of their marks. */
  marks?: Map<number, string>;
  empty: string;
  onGo: (to: number) => void;
};
type Cell = { san: string; number: number } | null;

const MARK_TEXTS: Record<string, string> = { blunder: "??", mistake: "?", inaccuracy: "?!" };

export function Moves({ start, sans, shown, book = 0, marks, empty, onGo }: MovesProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => showCurrent(list.current), [shown, sans.length]);
  useEffect(() => {
    if (list.current === null) return;
    const observer = new ResizeObserver(() => showCurrent(list.current)); // what is above it may grow
    observer.observe(list.current);
    return () => observer.disconnect();
  }, [sans.length === 0]);
  const move = (cell: Cell) =>
    cell === null ? (
      <span class="quiet">...</span>
    ) : (
      <button
        type="button"
        key={cell.number}
        class={cell.number <= book ? "book" : ""}
        aria-current={cell.number === shown ? "true" : undefined}
        onClick={() => onGo(cell.number)}
      >
        {cell.san}
        <Mark mark={marks?.get(cell.number)} />
      </button>
    );
  if (sans.length === 0) return <p class="moves quiet">{empty}</p>;
  return (
    <ol class="moves" ref={list} aria-label="Moves" tabIndex={-1}>
      {rowsOf(start, sans).map(({ number, cells }) => (
        <li key={number}>
          <span class="quiet">{number}.</span>
          {cells.map(move)}
        </li>
      ))}
    </ol>
  );
}

/** Scrolls the list, not the page. */
function showCurrent(box: HTMLElement | null): void {
  const current = box?.querySelector<HTMLElement>("[aria-current]");
  if (!box || !current) return;
  const row = current.offsetTop;
  if (row < box.scrollTop || row + current.offsetHeight > box.scrollTop + box.clientHeight)
    box.scrollTop = row - box.clientHeight / 2;
}

function Mark({ mark }: { mark: string | undefined }) {
  if (mark === undefined) return null;
  return (
    <span class={`mark ${mark}`} title={mark}>
      <span aria-hidden="true">{MARK_TEXTS[mark] ?? ""}</span>
      <span class="unseen"> {mark}</span>
    </span>
  );
}

/** White's and Black's move under one number; a game may begin with Black's. */
function rowsOf(start: string, sans: string[]): { number: number; cells: Cell[] }[] {
  const [, turn, , , , first = "1"] = start.split(" ");
  const cells: Cell[] = sans.map((san, at) => ({ san, number: at + 1 }));
  if (turn === "b") cells.unshift(null);
  const rows = [];
  for (let at = 0; at < cells.length; at += 2)
    rows.push({ number: Number(first) + at / 2, cells: cells.slice(at, at + 2) });
  return rows;
}

type StepsProps = {
  shown: number;
  last: number;
  /** By so many moves; an infinite step leads to the start or to the end. */
  onStep: (by: number) => void;
  /** For a game that can play by itself. */
  playing?: boolean;
  onPlay?: () => void;
};

export function Steps({ shown, last, onStep, playing = false, onPlay }: StepsProps) {
  const step = (label: string, by: number, path: string) => (
    <button
      type="button"
      aria-label={label}
      title={label}
      disabled={by < 0 ? shown === 0 : shown === last}
      onClick={() => onStep(by)}
    >
      <Icon path={path} />
    </button>
  );
  const hold = playing ? "Hold" : "Run by itself";
  return (
    <div class="stepping" role="group" aria-label="Through the game">
      {step("To the start", -Infinity, "M3 3h2v10H3zM13 3v10L6 8z")}
      {step("One move back", -1, "M11 3v10L4 8z")}
      {onPlay && (
        <button type="button" aria-label={hold} title={hold} onClick={onPlay}>
          <Icon path={playing ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2v12l9-6z"} />
        </button>
      )}
      {step("One move on", 1, "M5 3v10l7-5z")}
      {step("To the end", Infinity, "M3 3v10l7-5zM11 3h2v10h-2z")}
    </div>
  );
}

function Icon({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={path} fill="currentColor" />
    </svg>
  );
}

const KEYS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

/** The same by arrow keys, anywhere but where keys are typed. */
export function useStepKeys(step: (by: number) => void): void {
  // At once, so that no key is lost between a game's arrival and the next frame.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const by = KEYS[event.key];
      const isOther = event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target);
      if (by === undefined || isOther) return;
      event.preventDefault();
      step(by);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

function isTyping(target: EventTarget | null): boolean {
  const typed = "input:not([type=checkbox]), select, textarea, [role=dialog]";
  return target instanceof Element && target.closest(typed) !== null;
}

type Props = {
  /** What people call the moves there are, by what the server calls them. */
  legal: Record<string, string>;
  example?: string;
  disabled?: boolean;
  onMove: (move: string) => void;
};

export function TypedMove({ legal, example = "Nf3 or g1f3", disabled = false, onMove }: Props) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim() === "" || disabled) return;
    const found = readMove(text, legal);
    setProblem(found === null ? `${text.trim()} is not possible here.` : null);
    if (found === null) return;
    setText("");
    onMove(found);
  };
  return (
    <form class="typed" onSubmit={submit}>
      <label>
        <span>
          Type a move, such as {example}.{" "}
          <span class="refused" role="status">
            {problem}
          </span>
        </span>
        <span class="row">
          <input
            value={text}
            autocomplete="off"
            spellcheck={false}
            maxLength={12}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setProblem(null);
            }}
          />
          <button type="submit" disabled={disabled}>
            Move
          </button>
        </span>
      </label>
    </form>
  );
}

/** The legal move that was meant, if there is just one; capitals matter only where they must
 * (b7 takes c8 or the bishop does). */
function readMove(text: string, legal: Record<string, string>): string | null {
  const typed = bare(text);
  const lower = typed.toLowerCase();
  const spelled = Object.entries(legal);
  const exact = spelled.filter(([move, san]) => move === lower || bare(san) === typed);
  const alike = exact.length > 0 ? exact : spelled.filter(([, san]) => bare(san).toLowerCase() === lower);
  return alike.length === 1 ? alike[0]![0] : null;
}

function bare(text: string): string {
  return text.replace(/[\s+#!?=x-]/g, "").replace(/0/g, "O");
}
