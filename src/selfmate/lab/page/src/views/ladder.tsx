// The Ladder view: all players on one scale, the rating of one more, and strength over time.
import { useState } from "preact/hooks";
import { post } from "../api";
import { playerTitle } from "../format";
import type { Place } from "../place";
import { newestRun, PlayerPicker, useOffers } from "../players";
import { Problem, useAttempt } from "../problem";
import { useTopic } from "../topics";
import type { LadderData, NewRating, Offer } from "../types";
import "./ladder.css";
import { Learning } from "./ladder/learning";
import { Scale } from "./ladder/scale";

export function Ladder({ place }: { place: Place }) {
  const { data: ladder, error } = useTopic<LadderData>("ladder");
  if (error !== null) return <Problem text={error} />;
  if (ladder === null) return <p class="quiet">Loading the results ...</p>;
  return (
    <div class="ladder">
      <section class="card" aria-labelledby="ladder-title">
        <h1 id="ladder-title">The ladder</h1>
        <Scale ladder={ladder} />
      </section>
      <RateForm ladder={ladder} wanted={place.settings.get("player")} />
      <Learning />
    </div>
  );
}

function RateForm({ ladder, wanted }: { ladder: LadderData; wanted: string | null }) {
  const offers = useOffers();
  return (
    <section class="card" aria-labelledby="rate-title">
      <h2 id="rate-title">Rate a player</h2>
      {ladder.rating !== null ? (
        <Progress rating={ladder.rating} />
      ) : offers === null ? (
        <p class="quiet">Loading the players ...</p>
      ) : (
        <Form key={wanted} offers={offers} first={wanted ?? newestRun(offers) ?? "greedy"} />
      )}
      <Problem text={ladder.rating === null ? ladder.problem : null} />
    </section>
  );
}

function Form({ offers, first }: { offers: Offer[]; first: string }) {
  const [player, setPlayer] = useState(first);
  const [games, setGames] = useState("200");
  const { problem, busy, attempt } = useAttempt();
  const rate = (event: Event) => {
    event.preventDefault();
    void attempt(() => post("ladder/rate", { player, games: Number(games) } satisfies NewRating));
  };
  return (
    <form onSubmit={rate}>
      <div class="line">
        <PlayerPicker offers={offers} label="Player" name={player} onChoose={setPlayer} />
        <label>
          <span>Games</span>
          <select value={games} onChange={(event) => setGames(event.currentTarget.value)}>
            <option value="40">40: rough</option>
            <option value="200">200: good</option>
            <option value="800">800: precise</option>
          </select>
        </label>
        <button class="main" disabled={busy}>
          {busy ? "Starting ..." : "Rate"}
        </button>
      </div>
      <Problem text={problem} />
    </form>
  );
}

function Progress({ rating }: { rating: NonNullable<LadderData["rating"]> }) {
  const { problem, busy, attempt } = useAttempt();
  const { player, opponent, games, done, known } = rating;
  return (
    <>
      <p class="line rating-progress" role="status">
        {player === undefined || opponent === undefined
          ? "Starting ..."
          : `${playerTitle(player)}: ${done} of ${games} games, now against ${playerTitle(opponent)}`}
        <progress value={done ?? 0} max={games ?? 1} aria-label="Games of this rating" />
        <button disabled={busy} onClick={() => void attempt(() => post("ladder/stop"))}>
          Stop
        </button>
      </p>
      <p class="quiet">
        {known ? `So far ${known}. ` : ""}Opponents are chosen near the player's strength as it
        becomes known. Finished games are kept by the twenty.
      </p>
      <Problem text={problem} />
    </>
  );
}
