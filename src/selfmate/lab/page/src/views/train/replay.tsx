// A board that shows the newest game of a run move by move, and then the next one.
import { useEffect, useState } from "preact/hooks";
import { Board } from "../../board";
import type { Sample } from "./types";

const MOVE_MS = 600;
const END_MS = 2500;

export function Replay({ sample }: { sample: Sample | null }) {
  const [shown, setShown] = useState(sample);
  const [ply, setPly] = useState(0);
  const [playing, setPlaying] = useState(true);
  const game = shown ?? sample;
  const last = (game?.fens.length ?? 1) - 1;
  const isNew = sample !== null && sample.step !== game?.step;
  const take = () => {
    setShown(sample);
    setPly(0);
  };
  useEffect(() => {
    if (!playing || game === null || (ply >= last && !isNew)) return;
    const next = ply < last ? () => setPly(ply + 1) : take;
    const timer = setTimeout(next, ply < last ? MOVE_MS : END_MS);
    return () => clearTimeout(timer);
  }, [playing, game, ply, last, isNew]);
  if (game === null) return <EmptyBoard />;
  const at = Math.min(ply, last);
  const move = game.squares[at - 1];
  const go = (to: number) => {
    setPlaying(false);
    setPly(Math.max(0, Math.min(last, to)));
  };
  return (
    <section class="card replay" aria-label="A game it played">
      <Board
        fen={game.fens[at]!}
        size={game.size}
        lastMove={move === undefined ? null : [move.slice(0, 2), move.slice(2, 4)]}
        label={`Position after ${at} plies`}
      />
      <p class="caption">
        <span>
          {game.white === game.black ? "It plays itself" : `${game.white} – ${game.black}`}, step{" "}
          {game.step}
        </span>
        <b>{at === last ? ending(game) : moveText(at, game.moves[at - 1])}</b>
      </p>
      <div class="line">
        <button aria-label="To the start" onClick={() => go(0)}>
          <Icon path="M3 3h2v10H3zM13 3v10L6 8z" />
        </button>
        <button aria-label="Back" onClick={() => go(at - 1)}>
          <Icon path="M11 3v10L4 8z" />
        </button>
        <button
          aria-label={playing ? "Hold" : "Play on"}
          onClick={() => {
            if (!playing && at === last) take();
            setPlaying(!playing);
          }}
        >
          <Icon path={playing ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2v12l9-6z"} />
        </button>
        <button aria-label="Forward" onClick={() => go(at + 1)}>
          <Icon path="M5 3v10l7-5z" />
        </button>
        <button aria-label="To the end" onClick={() => go(last)}>
          <Icon path="M3 3v10l7-5zM11 3h2v10h-2z" />
        </button>
      </div>
      <button disabled={!isNew} onClick={take}>
        {isNew ? "To its newest game" : "This is its newest game"}
      </button>
    </section>
  );
}

function Icon({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={path} fill="currentColor" />
    </svg>
  );
}

function EmptyBoard() {
  return (
    <section class="card replay" aria-label="A game it played">
      <Board fen="8/8/8/8/8/8/8/8" label="An empty board" />
      <p class="caption quiet">No game was kept yet.</p>
    </section>
  );
}

function moveText(ply: number, move: string | undefined): string {
  if (move === undefined) return "The start";
  return `${Math.ceil(ply / 2)}${ply % 2 === 1 ? "." : "..."} ${move}`;
}

function ending(game: Sample): string {
  const reason = game.reason === "ply_limit" ? "cut at the ply limit" : game.reason;
  return `${game.result === "*" ? "" : `${game.result}, `}${reason.replaceAll("_", " ")}`;
}
