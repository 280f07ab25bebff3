// The games of a match, the newest first; a click shows one on the board.
import { useState } from "preact/hooks";
import { get } from "../../api";
import { playerTitle } from "../../format";
import { Problem, useAttempt } from "../../problem";
import type { GameRow, MatchData } from "../../types";
import { firstIsWhite, gameText, outcomeOf } from "./score";

type ListProps = { match: MatchData; chosen: number | null; onChoose: (number: number) => void };

export function GameList({ match, chosen, onChoose }: ListProps) {
  const [older, setOlder] = useState<GameRow[]>([]);
  const { problem, busy, attempt } = useAttempt();
  const shown = new Map([...match.newest, ...older].map((game) => [game.number, game]));

  async function showMore() {
    // Games that ended meanwhile shift the older ones: some come twice and are known by number.
    const from = Math.max(0, shown.size - 1);
    const path = `matches/${match.id}/games?older_than=${from}`;
    const found = await attempt(() => get<GameRow[]>(path));
    if (found !== null) setOlder([...older, ...found]);
  }

  return (
    <section class="card" aria-labelledby="games">
      <h2 id="games">Games</h2>
      {match.done === 0 ? (
        <p class="quiet">None has ended yet.</p>
      ) : (
        <ol class="rows game-rows">
          {[...shown.values()].map((game) => (
            <li key={game.number}>
              <button
                aria-pressed={game.number === chosen}
                onClick={() => onChoose(game.number)}
              >
                <span class="quiet">{game.number + 1}</span>
                <span class={`outcome ${outcomeOf(game)}`}>{outcomeOf(game)}</span>
                <span>
                  as {firstIsWhite(game.number) ? "White" : "Black"}, {gameText(game)}
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
      {shown.size < match.done && (
        <button disabled={busy} onClick={() => void showMore()}>
          Show older games
        </button>
      )}
      {match.done > 0 && (
        <p class="quiet">
          Won, drawn and lost are those of {playerTitle(match.players[0])}. Click a game to replay
          it.
        </p>
      )}
      <Problem text={problem} />
    </section>
  );
}
