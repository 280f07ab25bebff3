// Play by typing moves, or watch the exact or the learned policy.
import { count } from "../../format";
import { TypedMove } from "../../moves";
import type { MiniPosition } from "../../types";
import type { ValueSource } from "./boards";
import { type Game, movesOf } from "./game";

type PlayProps = {
  game: Game;
  watched: ValueSource | null;
  onBegin: () => void;
  onPlay: (move: string) => Promise<boolean>;
  onWatch: (source: ValueSource | null) => void;
};

export function Play({ game, watched, onBegin, onPlay, onWatch }: PlayProps) {
  const over = game.ended !== null;
  return (
    <section class="card play-endgame">
      <p class="outcome" role="status">
        {over ? outcomeOf(game) : outlookOf(game.position)}
      </p>
      <p class="moves-so-far mono">{lineOf(game.line)}</p>
      <TypedMove
        legal={Object.fromEntries(game.position.moves.map(({ name }) => [name, name]))}
        example="Qb3"
        disabled={over}
        onMove={(move) => void onPlay(move)}
      />
      <div class="line" role="group" aria-label="Watch">
        {watched !== null ? (
          <button onClick={() => onWatch(null)}>Stop</button>
        ) : (
          <>
            <button disabled={over} onClick={() => onWatch("exact")}>
              Watch perfect play
            </button>
            {game.position.learned && (
              <button disabled={over} onClick={() => onWatch("learned")}>
                Watch learner
              </button>
            )}
          </>
        )}
      </div>
      <button class={over ? "main" : ""} onClick={onBegin}>
        New position
      </button>
    </section>
  );
}

function outlookOf(position: MiniPosition): string {
  if (position.forced_in === 1) return "Your move, with king and queen: you can mate at once.";
  return (
    `Your move, with king and queen. ${position.forced_in} moves force mate whatever the lone king ` +
    `does; because it moves at random, perfect play takes ${position.expected_moves.toFixed(2)} on average.`
  );
}

function outcomeOf(game: Game): string {
  const moves = count(movesOf(game), "moves");
  return game.ended?.ending === "mate"
    ? `Mate after ${moves}.`
    : `Stalemate after ${moves}: a draw. The lone king could not move, and was not in check.`;
}

function lineOf(line: string[]): string {
  const moves = [];
  for (let at = 0; at < line.length; at += 2)
    moves.push(`${at / 2 + 1}. ${line.slice(at, at + 2).join(" ")}`);
  return moves.join("  ") || "No move yet.";
}
