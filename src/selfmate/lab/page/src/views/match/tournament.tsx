// Tournaments: everybody against everybody, with a cross table.
import { useState } from "preact/hooks";
import { post } from "../../api";
import { playerTitle } from "../../format";
import { linkTo } from "../../place";
import { PlayerPicker, useOffers } from "../../players";
import { Problem, useAttempt } from "../../problem";
import { useTopic } from "../../topics";
import type {
  CrossCell,
  NewTournament as Request,
  Offer,
  Standing,
  TournamentData,
  TournamentId,
  TournamentRow,
} from "../../types";

const MIN_PLAYERS = 3;
const MAX_PLAYERS = 12;
const FIRST_PLAYERS = ["teacher:depth=1", "teacher:depth=2", "greedy", "random"];

export function NewTournament() {
  const offers = useOffers();
  const { data: tournaments } = useTopic<TournamentRow[]>("tournaments");
  return (
    <section class="card tournament" aria-labelledby="new-tournament">
      <h2 id="new-tournament">Tournaments</h2>
      {tournaments !== null && tournaments.length > 0 && (
        <ul class="rows" aria-label="Tournaments so far">
          {tournaments.map((one) => (
            <li key={one.id}>
              <a href={linkTo("match", { tournament: one.id })}>{one.id}</a>{" "}
              <span class={`state ${one.state}`}>{one.state}</span>{" "}
              <span class="quiet">
                {one.players.length} players, {one.done} of {one.total} games
              </span>
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>New tournament: everybody against everybody</summary>
        {offers === null ? <p class="quiet">Loading the players ...</p> : <Form offers={offers} />}
      </details>
    </section>
  );
}

function Form({ offers }: { offers: Offer[] }) {
  const [players, setPlayers] = useState(FIRST_PLAYERS);
  const [games, setGames] = useState("4");
  const { problem, busy, attempt } = useAttempt();
  const change = (at: number, name: string) => setPlayers(players.map((one, n) => (n === at ? name : one)));
  const start = async (event: Event) => {
    event.preventDefault();
    const request: Request = { players, games: Number(games) };
    const started = await attempt(() => post<TournamentId>("tournaments", request));
    if (started !== null) location.hash = linkTo("match", { tournament: started.id });
  };
  return (
    <form class="tournament" onSubmit={start}>
      {players.map((name, at) => (
        <fieldset key={at} class="entrant">
          <div>
            <PlayerPicker offers={offers} label={`Entrant ${at + 1}`} name={name} onChoose={(one) => change(at, one)} />
          </div>
          {players.length > MIN_PLAYERS && (
            <button
              type="button"
              aria-label={`Remove entrant ${at + 1}`}
              onClick={() => setPlayers(players.filter((_, n) => n !== at))}
            >
              ✕
            </button>
          )}
        </fieldset>
      ))}
      <div class="line">
        {players.length < MAX_PLAYERS && (
          <button type="button" onClick={() => setPlayers([...players, unused(offers, players)])}>
            Add an entrant
          </button>
        )}
        <label>
          <span>Games of each pair</span>
          <input type="number" min="2" max="1000" required value={games} onInput={(event) => setGames(event.currentTarget.value)} />
        </label>
        <button class="main" disabled={busy}>
          {busy ? "Starting ..." : "Start the tournament"}
        </button>
      </div>
      <Problem text={problem} />
    </form>
  );
}

function unused(offers: Offer[], players: string[]): string {
  const names = offers.filter((offer) => offer.trained).flatMap((offer) => offer.strengths.map((one) => one.name));
  return names.find((name) => !players.includes(name)) ?? "random";
}

export function OneTournament({ id }: { id: string }) {
  const { data, error } = useTopic<TournamentData>(`tournament:${id}`);
  const { problem, busy, attempt } = useAttempt();
  const act = (verb: string) => void attempt(() => post(`tournaments/${id}/${verb}`));
  if (error !== null) return <Problem text={error} />;
  if (data === null) return <p class="quiet">Loading the tournament ...</p>;
  return (
    <section class="card tournament" aria-label={id}>
      <a class="back" href={linkTo("match")}>
        ← All matches
      </a>
      <h1>
        {id} <span class={`state ${data.state}`}>{data.state}</span>
      </h1>
      <p class="line progress" role="status">
        {data.done} of {data.total} games, {data.games} of each pair
        <progress value={data.done} max={data.total} aria-label="Games played" />
      </p>
      <PlayingNow data={data} />
      <CrossTable table={data.table} />
      <p class="quiet">Points of the player of the row. A click on a result shows its games.</p>
      <div class="line">
        {data.state === "running" && (
          <button disabled={busy} onClick={() => act("stop")}>
            Stop
          </button>
        )}
        {(data.state === "stopped" || data.state === "failed") && (
          <button class="main" disabled={busy} onClick={() => act("resume")}>
            Resume
          </button>
        )}
      </div>
      <Problem text={problem ?? data.problem} />
    </section>
  );
}

/** The match that is being played, to be watched. */
function PlayingNow({ data }: { data: TournamentData }) {
  if (data.state !== "running") return null;
  const pairs = data.table.flatMap(({ player, cells }) =>
    cells.map((cell, at) => ({ player, cell, other: data.table[at]!.player })),
  );
  const now = pairs.find(({ cell }) => cell !== null && cell.match !== null && cell.games < data.games);
  if (now === undefined) return null;
  return (
    <p>
      Playing now:{" "}
      <a href={linkTo("match", { id: now.cell!.match! })}>
        {playerTitle(now.player)} against {playerTitle(now.other)}
      </a>
    </p>
  );
}

function CrossTable({ table }: { table: Standing[] }) {
  return (
    <div class="cross-scroll" tabIndex={0} role="region" aria-label="Cross table, scrolls">
      <table class="cross" aria-label="Cross table">
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">Player</th>
            <th scope="col">Points</th>
            {table.map((_, at) => (
              <th key={at} scope="col">
                {at + 1}
              </th>
            ))}
            <th scope="col">Games</th>
          </tr>
        </thead>
        <tbody>
          {table.map((row, at) => (
            <tr key={row.player}>
              <td>{at + 1}</td>
              <th scope="row">{playerTitle(row.player)}</th>
              <td class="points">{pointsText(row.points)}</td>
              {row.cells.map((cell, other) => (
                <Cell key={other} cell={cell} />
              ))}
              <td>{row.games}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ cell }: { cell: CrossCell | null }) {
  if (cell === null) return <td class="self" aria-label="the same player" />;
  if (cell.match === null || cell.games === 0) return <td class="quiet">–</td>;
  return (
    <td>
      <a href={linkTo("match", { id: cell.match })}>{pointsText(cell.points)}</a>
    </td>
  );
}

/** 3½ */
function pointsText(points: number): string {
  const whole = Math.floor(points);
  if (points === whole) return String(whole);
  return whole === 0 ? "½" : `${whole}½`;
}
