// The same position twice: what moves are worth, and what a run believes they are worth.
import { linkTo } from "../../place";
import type { Game } from "./game";
import { cellsOf, HeatBoard, Legend } from "./heat";
import type { Position, RunNews, Shown, Whose } from "./types";

type BoardsProps = {
  size: number;
  game: Game;
  shown: Shown;
  run: string | null;
  news: RunNews | null;
  onPlay: (move: string) => void;
};

export function Boards({ size, game, shown, run, news, onPlay }: BoardsProps) {
  const { position, ended, lastMove } = game;
  const { fen, pieces } = ended === null ? position : ended.after;
  const places = `king on ${pieces.K}, queen on ${pieces.Q}, lone king on ${pieces.k}`;
  const board = (whose: Whose, title: string) => (
    <HeatBoard
      size={size}
      fen={fen}
      cells={ended === null ? cellsOf(position, whose, shown) : []}
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
          {news?.step != null && (
            <>
              {" by "}
              <a href={linkTo("train", { run: news.name })}>{news.name}</a>
            </>
          )}
        </figcaption>
        {position.learned ? (
          <>
            {board("learned", "Learned values")}
            {ended === null && <Verdict position={position} />}
          </>
        ) : (
          <Nobody run={run} news={news} />
        )}
      </figure>
    </div>
  );
}

function Verdict({ position }: { position: Position }) {
  const learned = position.learned!;
  return (
    <p class={`verdict ${learned.is_optimal ? "good" : "bad"}`}>
      {learned.is_optimal
        ? `✓ It would play ${learned.best}, a best move.`
        : `✗ It would play ${learned.best}, worth ${learned.regret.toFixed(3)} less than ${position.best}.`}
    </p>
  );
}

function Nobody({ run, news }: { run: string | null; news: RunNews | null }) {
  return (
    <div class="nobody">
      {run !== null && !news?.error ? (
        <p>{run} has no checkpoint yet. Its values appear here with the first one.</p>
      ) : (
        <>
          <p>Let a net learn this game from nothing, and see here what it believes.</p>
          <a class="button" href={linkTo("train", { learner: "ddqn" })}>
            Train one
          </a>
          <p class="quiet">It takes about half a minute. Trained ones are chosen above.</p>
        </>
      )}
    </div>
  );
}

function destinations(position: Position): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const move of position.moves) (found[move.from] ??= []).push(move.to);
  return found;
}
