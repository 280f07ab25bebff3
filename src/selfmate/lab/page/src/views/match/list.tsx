// The matches there are, the newest first.
import { useState } from "preact/hooks";
import { linkTo } from "../../place";
import { playerTitle } from "../../player_title";
import { ResultBar } from "./score";
import type { MatchRow } from "./types";
import { scoreText } from "./words";

const SHOWN_AT_FIRST = 10;

export function MatchList({ matches }: { matches: MatchRow[] | null }) {
  const [showAll, setShowAll] = useState(false);
  const most = showAll ? Infinity : SHOWN_AT_FIRST;
  return (
    <section class="card" aria-labelledby="earlier">
      <h2 id="earlier">Matches so far</h2>
      {matches === null ? (
        <p class="quiet">Looking for matches ...</p>
      ) : matches.length === 0 ? (
        <p class="quiet">
          None yet. Start one here, or with <code>selfmate match</code> in the folder above the
          runs: both show here as they go on.
        </p>
      ) : (
        <ul class="rows match-rows">
          {matches.slice(0, most).map((match) => (
            <li key={match.id}>
              <Row match={match} />
            </li>
          ))}
        </ul>
      )}
      {matches !== null && matches.length > most && (
        <button class="more" onClick={() => setShowAll(true)}>
          Show all {matches.length} matches
        </button>
      )}
    </section>
  );
}

function Row({ match }: { match: MatchRow }) {
  const [a, b] = match.players;
  return (
    <a class="match-row" href={linkTo("match", { id: match.id })}>
      <span class="names">
        <b>{playerTitle(a)}</b> against <b>{playerTitle(b)}</b>
        <time class="quiet" dateTime={match.updated}>
          {new Date(match.updated).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}
        </time>
      </span>
      <span class={`state ${match.state}`}>{match.state}</span>
      <ResultBar {...match} />
      <span class="quiet">
        {scoreText(match)} in {match.done < match.total && `${match.done} of `}
        {match.total} games
      </span>
    </a>
  );
}
