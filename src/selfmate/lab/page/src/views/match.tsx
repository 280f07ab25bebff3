// The Match view: a new match, the matches so far, or one of them while it runs.
import { useState } from "preact/hooks";
import { post } from "../api";
import { playerTitle } from "../format";
import { linkTo, type Place } from "../place";
import { Problem, useAttempt } from "../problem";
import { useTopic } from "../topics";
import type { MatchData, MatchRow } from "../types";
import "./match.css";
import { MatchBoard } from "./match/board";
import { NewMatch } from "./match/form";
import { GameList } from "./match/games";
import { NewTournament, OneTournament } from "./match/tournament";
import { ResultBar, Score, scoreText } from "./match/score";

export function Match({ place }: { place: Place }) {
  const id = place.settings.get("id");
  const tournament = place.settings.get("tournament");
  if (tournament !== null) return <OneTournament key={tournament} id={tournament} />;
  return id === null ? <Matches place={place} /> : <OneMatch key={id} id={id} />;
}

function Matches({ place }: { place: Place }) {
  const { data: matches } = useTopic<MatchRow[]>("matches");
  return (
    <div class="matches">
      <NewMatch
        key={place.settings.toString()}
        a={place.settings.get("a")}
        b={place.settings.get("b")}
      />
      <NewTournament />
      <MatchList matches={matches} />
    </div>
  );
}

const SHOWN_AT_FIRST = 10;

function MatchList({ matches }: { matches: MatchRow[] | null }) {
  const [showAll, setShowAll] = useState(false);
  const limit = showAll ? Infinity : SHOWN_AT_FIRST;
  return (
    <section class="card" aria-labelledby="earlier">
      <h2 id="earlier">Matches so far</h2>
      {matches === null ? (
        <p class="quiet">Loading the matches ...</p>
      ) : matches.length === 0 ? (
        <p class="quiet">
          None yet. Start one here, or with <code>selfmate match</code> in the folder above the
          runs: both are shown here while they run.
        </p>
      ) : (
        <ul class="rows match-rows">
          {matches.slice(0, limit).map((match) => (
            <li key={match.id}>
              <Row match={match} />
            </li>
          ))}
        </ul>
      )}
      {matches !== null && matches.length > limit && (
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
      <span class={`state ${match.damage === null ? match.state : "failed"}`}>
        {match.damage === null ? match.state : "damaged"}
      </span>
      <ResultBar {...match} />
      <span class="quiet">
        {scoreText(match)} in {match.done < match.total && `${match.done} of `}
        {match.total} games
      </span>
    </a>
  );
}

const BACK = (
  <a class="back" href={linkTo("match")}>
    ← All matches
  </a>
);

function OneMatch({ id }: { id: string }) {
  const { data: match, error } = useTopic<MatchData>(`match:${id}`);
  const [chosen, setChosen] = useState<number | null>(null);
  if (error !== null)
    return (
      <>
        {BACK}
        <Problem text={error} />
      </>
    );
  if (match === null) return <p class="quiet">Loading the match ...</p>;
  const [a, b] = match.players.map(playerTitle);
  return (
    <div class="one-match">
      <div class="title">
        {BACK}
        <h1>
          {a} against {b}
        </h1>
        <Progress match={match} />
        <Problem text={match.damage} />
      </div>
      <MatchBoard match={match} chosen={chosen} onFollow={() => setChosen(null)} />
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
  const isRunning = match.state === "running" || match.state === "starting";
  const isOver = match.state === "finished";
  const more = match.total + Math.max(20, match.total);
  return (
    <>
      <div class="line actions">
        {isRunning && (
          <button disabled={busy} onClick={() => act("stop")}>
            Stop
          </button>
        )}
        {!isRunning && !isOver && (
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
