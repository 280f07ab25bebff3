// A new match: its players and games.
import { useState } from "preact/hooks";
import { post } from "../../api";
import { linkTo } from "../../place";
import { newestRun, PlayerPicker, strongestNet, useOffers } from "../../players";
import { Problem, useAttempt } from "../../problem";
import type { MatchId, NewMatch as Request, Offer } from "../../types";

const MAX_GAMES = 10000;
const TEACHER = "teacher:depth=4";

export function NewMatch({ a, b }: { a: string | null; b: string | null }) {
  const offers = useOffers();
  return (
    <section class="card new-match" aria-labelledby="new-match">
      <h1 id="new-match">New match</h1>
      <p class="quiet">
        Which player is stronger, and with what certainty? Every opening is played twice, so that
        each player has White once.
      </p>
      {offers === null ? (
        <p class="quiet">Loading the players ...</p>
      ) : (
        <Form offers={offers} a={a} b={b} />
      )}
    </section>
  );
}

type FormProps = { offers: Offer[]; a: string | null; b: string | null };

function Form({ offers, ...linked }: FormProps) {
  const run = newestRun(offers);
  const [a, setA] = useState(linked.a ?? run ?? strongestNet(offers) ?? TEACHER);
  const [b, setB] = useState(linked.b ?? (run === null ? TEACHER : "random"));
  const [games, setGames] = useState("20");
  const [seed, setSeed] = useState("");
  const [maxPlies, setMaxPlies] = useState("400");
  const [sprt, setSprt] = useState("");
  const { problem, busy, attempt } = useAttempt();

  async function start(event: Event) {
    event.preventDefault();
    const request: Request = {
      ...{ a, b, games: Number(games), max_plies: Number(maxPlies) },
      ...(seed.trim() !== "" && { seed: Number(seed) }),
      ...(sprt !== "" && { sprt }),
    };
    const started = await attempt(() => post<MatchId>("matches", request));
    if (started !== null) location.hash = linkTo("match", { id: started.id });
  }

  return (
    <form onSubmit={start}>
      <fieldset class="line">
        <legend>First player</legend>
        <PlayerPicker offers={offers} label="Player" name={a} onChoose={setA} />
      </fieldset>
      <fieldset class="line">
        <legend>Second player</legend>
        <PlayerPicker offers={offers} label="Player" name={b} onChoose={setB} />
      </fieldset>
      <div class="line">
        <NumberField label="Games" value={games} min={2} max={MAX_GAMES} onInput={setGames} />
        <button class="main" disabled={busy}>
          {busy ? "Starting ..." : "Start the match"}
        </button>
      </div>
      <details>
        <summary>More settings</summary>
        <div class="line">
          <NumberField
            label="Longest game, plies"
            value={maxPlies}
            min={1}
            max={2000}
            onInput={setMaxPlies}
          />
          <NumberField
            label="Seed (empty: a new one)"
            value={seed}
            min={0}
            onInput={setSeed}
            optional
          />
          <label>
            <span>When to stop</span>
            <select value={sprt} onChange={(event) => setSprt(event.currentTarget.value)}>
              <option value="">When all games are played</option>
              <option value="0,10">Once it is clear: rather 0 or +10 Elo?</option>
              <option value="0,50">Once it is clear: rather 0 or +50 Elo?</option>
            </select>
          </label>
        </div>
        <p class="quiet">
          The same players with the same seed play the same games again. A match that stops once it
          is clear uses a sequential test (SPRT) with 5 % errors on either side.
        </p>
      </details>
      <Problem text={problem} />
    </form>
  );
}

type NumberProps = {
  label: string;
  value: string;
  min: number;
  max?: number;
  optional?: boolean;
  onInput: (value: string) => void;
};

function NumberField({ label, value, min, max, optional, onInput }: NumberProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="number"
        inputMode="numeric"
        required={!optional}
        {...{ value, min, max }}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}
