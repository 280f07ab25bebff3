// The settings of the next game: players, side and clock.
import { useState } from "preact/hooks";
import { Board } from "../../board";
import { Choice } from "../../choice";
import { isOffered, PlayerPicker, strongestNet } from "../../players";
import { Problem } from "../../problem";
import type { Offer } from "../../types";
import "../play.css";
import { ClockPicker } from "./clock";
import type { GameChoice } from "./game";

const SIDES = [
  ["white", "White"],
  ["random", "Either"],
  ["black", "Black"],
  ["watch", "Just watch"],
] as const;
const EASY = "teacher:depth=1";

export function plainChoice(player: string): GameChoice {
  return { player, side: "white", opponent: null, fen: null, clock: null };
}

/** As before, else against the strongest net that ships. */
export function firstChoice(offers: Offer[], before: GameChoice | null): GameChoice {
  if (before !== null && isOffered(offers, before.player)) return { ...before, fen: null, moves: [] };
  return plainChoice(strongestNet(offers) ?? EASY);
}

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

type Props = {
  offers: Offer[];
  /** Whether there are clocks. */
  clocks?: boolean;
  first: GameChoice;
  busy: boolean;
  problem: string | null;
  onPlay: (choice: GameChoice) => void;
  onCancel: (() => void) | null;
};

/** The settings beside a board that waits for them. */
export function NewGame(props: Props) {
  return (
    <div class="play">
      <section class="table" aria-label="Board">
        <div class="strip" />
        <Board fen={START} label="Chess board at the start of a game" />
        <div class="strip" />
      </section>
      <Setup {...props} />
    </div>
  );
}

function Setup({ offers, clocks = true, first, busy, problem, onPlay, onCancel }: Props) {
  const [choice, setChoice] = useState(first);
  const change = (part: Partial<GameChoice>) => setChoice({ ...choice, ...part });
  const isWatched = choice.side === "watch";
  const submit = (event: Event) => {
    event.preventDefault();
    onPlay(isWatched ? { ...choice, clock: null } : { ...choice, opponent: null });
  };
  return (
    <form class="setup card" onSubmit={submit}>
      <h1>{isWatched ? "Watch a game" : "Play a game"}</h1>
      <Choice
        legend="You play"
        options={SIDES}
        value={choice.side}
        onChoose={(side) => change({ side })}
      />
      <PlayerPicker
        offers={offers}
        label={isWatched ? "White" : "Against"}
        name={choice.player}
        detailed
        onChoose={(player) => change({ player })}
      />
      {isWatched ? (
        <PlayerPicker
          offers={offers}
          label="Black"
          name={choice.opponent ?? choice.player}
          onChoose={(opponent) => change({ opponent })}
        />
      ) : (
        clocks && <ClockPicker clock={choice.clock} onChoose={(clock) => change({ clock })} />
      )}
      <details>
        <summary>Start from another position</summary>
        <label>
          <span>Position as FEN</span>
          <input
            class="mono"
            value={choice.fen ?? ""}
            maxLength={200}
            spellcheck={false}
            onInput={(event) => change({ fen: event.currentTarget.value || null })}
          />
        </label>
      </details>
      <Problem text={problem} />
      <div class="line">
        <button type="submit" class="main" disabled={busy}>
          {busy ? "Getting ready ..." : isWatched ? "Watch" : "Play"}
        </button>
        {onCancel !== null && (
          <button type="button" onClick={onCancel}>
            Back to the game
          </button>
        )}
      </div>
    </form>
  );
}
