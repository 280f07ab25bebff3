// The learner's controls: numbers, switches and the encoding, each with what it does.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { NetSettings, TabSettings } from "./protocol";
import { DEFAULTS, FACTS, needsOtherNet, PRESETS, problemOf } from "./settings";

type Change = (part: Partial<TabSettings>) => void;
type Props = { settings: TabSettings; net: NetSettings; onChange: Change };
type Numeric =
  | "learning_rate"
  | "games_per_train"
  | "max_plies"
  | "temperature_train"
  | "temperature_play"
  | "games_per_iteration"
  | "updates"
  | "value_weight"
  | "seed";

export function Controls({ settings, net, onChange }: Props) {
  const number = (name: Numeric, title: string) => (
    <NumberField
      name={name}
      title={title}
      value={settings[name]}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <div class="tab-controls">
      <div class="numbers">
        {number("learning_rate", "Learning rate")}
        {number("games_per_train", "Games per Train")}
        {number("max_plies", "Ply limit")}
        {number("temperature_train", "Temperature in training")}
        {number("temperature_play", "Temperature in play")}
        <Encoding value={settings.encoding} onChange={onChange} />
      </div>
      <fieldset class="switches">
        <legend>Options</legend>
        <Switches settings={settings} onChange={onChange} />
      </fieldset>
      {needsOtherNet(net, settings) && (
        <p class="pending" role="status">
          Another encoding, or a value head, needs another net: Reset makes one. Until then the net
          trains on as it is.
        </p>
      )}
      <details>
        <summary>More settings</summary>
        <div class="numbers">
          {number("games_per_iteration", "Games per update")}
          {number("updates", "Updates per iteration")}
          {number("value_weight", "Weight of the value head")}
          {number("seed", "Seed of the next net")}
          <Presets settings={settings} onChange={onChange} />
        </div>
      </details>
    </div>
  );
}

type NumberFieldProps = {
  name: Numeric;
  title: string;
  value: number;
  onChange: (value: number) => void;
};

function NumberField({ name, title, value, onChange }: NumberFieldProps) {
  const [text, setText] = useState(String(value));
  const help = useId();
  const typed = text.trim() === "" ? NaN : Number(text);
  const problem = problemOf(name, typed);
  useEffect(() => {
    if (value !== typed) setText(String(value)); // it was changed elsewhere
  }, [value]);
  return (
    <Labelled title={title} help={help} text={FACTS[name].description} problem={problem}>
      <input
        value={text}
        inputMode="decimal"
        autocomplete="off"
        aria-label={title}
        aria-describedby={help}
        aria-invalid={problem !== null}
        onInput={({ currentTarget }) => {
          const next = Number(currentTarget.value);
          setText(currentTarget.value);
          if (currentTarget.value.trim() !== "" && problemOf(name, next) === null) onChange(next);
        }}
        onBlur={() => problem !== null && setText(String(value))}
      />
    </Labelled>
  );
}

type LabelledProps = {
  title: string;
  help: string;
  text: string;
  problem?: string | null;
  children: ComponentChildren;
};

function Labelled({ title, help, text, problem = null, children }: LabelledProps) {
  return (
    <label>
      <span>{title}</span>
      {children}
      <small id={help} class={problem === null ? "" : "refused"}>
        {problem ?? text}
      </small>
    </label>
  );
}

const ENCODINGS: [TabSettings["encoding"], string][] = [
  ["onehot768", "768 planes"],
  ["turned768", "768 planes, turned"],
  ["counts", "piece counts"],
];

function Encoding({ value, onChange }: { value: TabSettings["encoding"]; onChange: Change }) {
  const help = useId();
  return (
    <Labelled title="Encoding" help={help} text={FACTS.encoding.description}>
      <select
        value={value}
        aria-label="Encoding"
        aria-describedby={help}
        onChange={(event) =>
          onChange({ encoding: event.currentTarget.value as TabSettings["encoding"] })
        }
      >
        {ENCODINGS.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function Switches({ settings, onChange }: Omit<Props, "net">) {
  const hasValueHead = settings.baseline === "value_head";
  return (
    <>
      <Switch
        title="Baseline"
        text="Only results better or worse than the average so far teach something."
        on={settings.baseline !== "none"}
        disabled={hasValueHead}
        onChange={(on) => onChange({ baseline: on ? "moving_average" : "none" })}
      />
      <Switch
        title="Value head"
        text="The net predicts the result itself, and its prediction is the baseline."
        on={hasValueHead}
        onChange={(on) => onChange({ baseline: on ? "value_head" : "moving_average" })}
      />
      <Switch
        title="Entropy bonus"
        text="Rewards trying out different moves (weight 0.01)."
        on={settings.entropy_bonus > 0}
        onChange={(on) => onChange({ entropy_bonus: on ? 0.01 : 0 })}
      />
      <Switch
        title="Replay"
        text="Learns from the games of the last two iterations again."
        on={settings.replay_iterations > 0}
        onChange={(on) => onChange({ replay_iterations: on ? 2 : 0 })}
      />
      <Switch
        title="Look-ahead"
        text="Always plays a mate in one, so that more games are decided."
        on={settings.plays_mate_in_one}
        onChange={(on) => onChange({ plays_mate_in_one: on })}
      />
      <Switch
        title="Random sparring partner"
        text="One side of every game moves at random."
        on={settings.vs_random > 0}
        onChange={(on) => onChange({ vs_random: on ? 1 : 0 })}
      />
    </>
  );
}

type SwitchProps = {
  title: string;
  text: string;
  on: boolean;
  disabled?: boolean;
  onChange: (on: boolean) => void;
};

function Switch({ title, text, on, disabled = false, onChange }: SwitchProps) {
  const help = useId();
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        checked={on}
        disabled={disabled}
        aria-label={title}
        aria-describedby={help}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <b>{title}</b>
      <small id={help}>{text}</small>
    </label>
  );
}

function Presets({ settings, onChange }: Omit<Props, "net">) {
  const help = useId();
  const chosen = Object.entries(PRESETS).find(([, values]) =>
    Object.entries({ ...DEFAULTS, ...values }).every(
      ([name, value]) => String(settings[name as keyof TabSettings]) === String(value),
    ),
  );
  return (
    <Labelled title="Preset" help={help} text="All settings at once, as on the command line.">
      <select
        value={chosen?.[0] ?? ""}
        aria-label="Preset"
        aria-describedby={help}
        onChange={(event) => onChange({ ...DEFAULTS, ...PRESETS[event.currentTarget.value] })}
      >
        {chosen === undefined && <option value="">your own</option>}
        {Object.keys(PRESETS).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </Labelled>
  );
}
