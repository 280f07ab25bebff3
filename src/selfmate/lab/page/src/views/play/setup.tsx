// What the next game is to be: who plays, on which side, with which clock.
import { useState } from "preact/hooks";
import { type Offer, PlayerPicker } from "../../players";
import { Problem } from "../../problem";
import { ClockPicker } from "./clock_picker";
import type { Choice, Side } from "./game";

const SIDES: { side: Side; title: string }[] = [
  { side: "white", title: "White" },
  { side: "random", title: "Either" },
  { side: "black", title: "Black" },
  { side: "watch", title: "Just watch" },
];
const EASY = "teacher:depth=1";

export function plainChoice(player: string): Choice {
  return { player, side: "white", opponent: null, fen: null, clock: null };
}

/** Against the newest that was trained here, else somebody a beginner can beat. */
export function firstChoice(offers: Offer[], before: Choice | null): Choice {
  const names = offers.flatMap((offer) => offer.strengths.map((one) => one.name));
  if (before !== null && names.includes(before.player)) return { ...before, fen: null };
  return plainChoice(names[0]?.startsWith("runs/") ? names[0] : EASY);
}

type Props = {
  offers: Offer[];
  first: Choice;
  busy: boolean;
  problem: string | null;
  onPlay: (choice: Choice) => void;
  onCancel: (() => void) | null;
};

export function Setup({ offers, first, busy, problem, onPlay, onCancel }: Props) {
  const [choice, setChoice] = useState(first);
  const change = (part: Partial<Choice>) => setChoice({ ...choice, ...part });
  const isWatched = choice.side === "watch";
  const submit = (event: Event) => {
    event.preventDefault();
    onPlay(isWatched ? { ...choice, clock: null } : { ...choice, opponent: null });
  };
  return (
    <form class="setup card" onSubmit={submit}>
      <h1>{isWatched ? "Watch a game" : "Play a game"}</h1>
      <SidePicker side={choice.side} onChoose={(side) => change({ side })} />
      <PlayerPicker
        offers={offers}
        label={isWatched ? "White" : "Against"}
        name={choice.player}
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
        <ClockPicker clock={choice.clock} onChoose={(clock) => change({ clock })} />
      )}
      <details>
        <summary>Start from another position</summary>
        <label>
          <span>Position as FEN, the usual line of text for it</span>
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

function SidePicker({ side, onChoose }: { side: Side; onChoose: (side: Side) => void }) {
  return (
    <fieldset class="sides">
      <legend>You play</legend>
      {SIDES.map((one) => (
        <label key={one.side}>
          <input
            type="radio"
            name="side"
            value={one.side}
            checked={one.side === side}
            onChange={() => onChoose(one.side)}
          />
          <span>{one.title}</span>
        </label>
      ))}
    </fieldset>
  );
}
