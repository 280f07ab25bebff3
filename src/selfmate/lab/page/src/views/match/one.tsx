// One match as it goes on: score, board, games, and what can be done with it.
import { useState } from "preact/hooks";
import { post } from "../../api";
import { useTopic } from "../../news";
import { linkTo } from "../../place";
import { playerTitle } from "../../player_title";
import { Problem, useAttempt } from "../../problem";
import { GameList } from "./games";
import { Score } from "./score";
import { Stage } from "./stage";
import type { MatchData } from "./types";

const BACK = (
  <a class="back" href={linkTo("match")}>
    ← All matches
  </a>
);

export function OneMatch({ id }: { id: string }) {
  const match = useTopic<MatchData>(`match:${id}`);
  const [chosen, setChosen] = useState<number | null>(null);
  if (match === null) return <p class="quiet">Looking for the match ...</p>;
  if (match.error !== undefined)
    return (
      <>
        {BACK}
        <Problem text={match.error} />
      </>
    );
  const [a, b] = match.players.map(playerTitle);
  return (
    <div class="one-match">
      <div class="title">
        {BACK}
        <h1>
          {a} against {b}
        </h1>
        <Progress match={match} />
      </div>
      <Stage match={match} chosen={chosen} onFollow={() => setChosen(null)} />
      <div class="beside">
        <section class="card" aria-label="Score">
          <Score match={match} />
          <Actions match={match} />
        </section>
        <GameList match={match} chosen={chosen} onChoose={setChosen} />
      </div>
    </div>
  );
}

function Progress({ match }: { match: MatchData }) {
  return (
    <p class="line progress">
      <span class={`state ${match.state}`}>{match.state}</span>
      <span>
        {match.done} of {match.total} games
      </span>
      <progress value={match.done} max={match.total} aria-label="Games played" />
    </p>
  );
}

function Actions({ match }: { match: MatchData }) {
  const { problem, busy, attempt } = useAttempt();
  const act = (verb: string, body = {}) =>
    void attempt(() => post(`matches/${match.id}/${verb}`, body));
  const goesOn = match.state === "running" || match.state === "starting";
  const isOver = match.state === "finished";
  const more = match.total + Math.max(20, match.total);
  return (
    <>
      <div class="line actions">
        {goesOn && (
          <button disabled={busy} onClick={() => act("stop")}>
            Stop
          </button>
        )}
        {!goesOn && !isOver && (
          <button class="main" disabled={busy} onClick={() => act("resume")}>
            Resume
          </button>
        )}
        {isOver && !match.report.sprt?.verdict && (
          <button disabled={busy} onClick={() => act("resume", { games: more })}>
            Play {more - match.total} more games
          </button>
        )}
        {match.done > 0 && (
          <a class="button" href={`/api/matches/${match.id}/pgn`} download>
            Download PGN
          </a>
        )}
        <a class="button" href={linkTo("match", { a: match.players[0], b: match.players[1] })}>
          Another match
        </a>
      </div>
      <Problem text={problem ?? match.problem} />
    </>
  );
}
