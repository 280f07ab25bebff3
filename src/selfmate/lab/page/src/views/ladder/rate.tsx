// Rating one more player: who, how thoroughly, how far it is.
import { useState } from "preact/hooks";
import { post } from "../../api";
import { type Offer, PlayerPicker, useOffers } from "../../players";
import { playerTitle } from "../../player_title";
import { Problem, useAttempt } from "../../problem";
import type { LadderData } from "./types";

export function RateForm({ ladder, wanted }: { ladder: LadderData; wanted: string | null }) {
  const offers = useOffers();
  return (
    <section class="card" aria-labelledby="rate-title">
      <h2 id="rate-title">Rate a player</h2>
      {ladder.rating !== null ? (
        <Progress rating={ladder.rating} />
      ) : offers === null ? (
        <p class="quiet">Looking for players ...</p>
      ) : (
        <Form key={wanted} offers={offers} first={wanted ?? offers[0]?.strengths[0]?.name ?? "random"} />
      )}
      <Problem text={ladder.rating === null ? ladder.problem : null} />
    </section>
  );
}

function Form({ offers, first }: { offers: Offer[]; first: string }) {
  const [player, setPlayer] = useState(first);
  const [games, setGames] = useState("40");
  const { problem, busy, attempt } = useAttempt();
  const rate = (event: Event) => {
    event.preventDefault();
    void attempt(() => post("ladder/rate", { player, games: Number(games) }));
  };
  return (
    <form onSubmit={rate}>
      <div class="line">
        <PlayerPicker offers={offers} label="Player" name={player} onChoose={setPlayer} />
        <label>
          <span>How thoroughly</span>
          <select value={games} onChange={(event) => setGames(event.currentTarget.value)}>
            <option value="10">roughly: 10 games against each</option>
            <option value="40">well: 40 games against each</option>
            <option value="100">thoroughly: 100 games against each</option>
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
  const { player, opponent, games, done } = rating;
  return (
    <>
      <p class="line rating-progress" role="status">
        {player === undefined || opponent === undefined
          ? "Starting ..."
          : `${playerTitle(player)} against ${playerTitle(opponent)}: ${done} of ${games} games`}
        <progress value={done ?? 0} max={games ?? 1} aria-label="Games of this pairing" />
        <button disabled={busy} onClick={() => void attempt(() => post("ladder/stop"))}>
          Stop
        </button>
      </p>
      <p class="quiet">
        Where results are missing, the ladder's own players meet first. Pairings that are complete
        are kept, whatever happens.
      </p>
      <Problem text={problem} />
    </>
  );
}
