// A board that replays the newest sample game of a run, and then the next one.
import { useEffect, useState } from "preact/hooks";
import { Board } from "../../board";
import { count, resultText } from "../../format";
import { Steps } from "../../moves";
import { linkToGame } from "../../place";
import type { SampleGame } from "../../types";

const CHESS_SIZE = 8;
const MOVE_MS = 600;
const END_MS = 2500;

type Props = {
  sample: SampleGame | null;
  /** Whether there is an Analyse view. */
  analysable?: boolean;
};

export function Replay({ sample, analysable = true }: Props) {
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
        label={`Position after ${count(at, "plies")}`}
      />
      <p class="caption">
        <span>
          {game.white === game.black ? "It plays itself" : `${game.white} – ${game.black}`}, step{" "}
          {game.step}
        </span>
        <b>{at === last ? ending(game) : moveText(at, game.moves[at - 1])}</b>
      </p>
      <Steps
        shown={at}
        last={last}
        onStep={(by) => go(at + by)}
        playing={playing}
        onPlay={() => {
          if (!playing && at === last) take();
          setPlaying(!playing);
        }}
      />
      <div class="line">
        <button disabled={!isNew} onClick={take}>
          Newest game
        </button>
        {analysable && game.size === CHESS_SIZE && (
          <a class="button" href={linkToGame(game.fens[0]!, game.squares, at)}>
            Analyse
          </a>
        )}
      </div>
    </section>
  );
}

function EmptyBoard() {
  return (
    <section class="card replay" aria-label="A game it played">
      <Board fen="8/8/8/8/8/8/8/8" label="An empty board" />
      <p class="caption quiet">No game was recorded yet.</p>
    </section>
  );
}

function moveText(ply: number, move: string | undefined): string {
  if (move === undefined) return "Start";
  return `${Math.ceil(ply / 2)}${ply % 2 === 1 ? "." : "..."} ${move}`;
}

function ending(game: SampleGame): string {
  const reason = game.reason === "ply_limit" ? "truncated at the ply limit" : game.reason;
  return `${game.result === "*" ? "" : `${resultText(game.result)}, `}${reason.replaceAll("_", " ")}`;
}
