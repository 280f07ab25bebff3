// A new training: its learner, its preset, and the settings that differ from it.
import { useId, useState } from "preact/hooks";
import { post } from "../../api";
import { count } from "../../format";
import { linkTo } from "../../place";
import { Problem, useAttempt } from "../../problem";
import type { DatasetRow, LearnerForm, PresetForm, RunName, RunRow, SettingForm, NewTraining as Request } from "../../types";

type Props = { learners: LearnerForm[]; runs: RunRow[]; datasets: DatasetRow[]; first: string };
type Texts = Record<string, string>;

export function NewTraining({ learners, runs, datasets, first }: Props) {
  const here = learners.filter((learner) => learner.here);
  const [chosen, setChosen] = useState(first);
  const learner = here.find((one) => one.name === chosen) ?? here[0];
  if (learner === undefined) return null;
  return (
    <>
      <fieldset class="learners">
        <legend>Learner</legend>
        {here.map((one) => (
          <label key={one.name} class={one === learner ? "chosen" : ""} title={one.summary}>
            <input
              type="radio"
              name="learner"
              checked={one === learner}
              onChange={() => setChosen(one.name)}
            />
            <b>{one.name}</b>
          </label>
        ))}
        <small>{learner.summary}</small>
      </fieldset>
      <Form key={learner.name} learner={learner} runs={runs} datasets={datasets} />
    </>
  );
}

type FormProps = { learner: LearnerForm; runs: RunRow[]; datasets: DatasetRow[] };

function Form({ learner, runs, datasets }: FormProps) {
  const [preset, setPreset] = useState<PresetForm>(learner.presets[0]!);
  const [changed, setChanged] = useState<Texts>({});
  const [name, setName] = useState("");
  const [load, setLoad] = useState("");
  const [units, setUnits] = useState<string | null>(null);
  const { problem, busy, attempt } = useAttempt();

  const given = (setting: SettingForm) => textOf(preset.values[setting.name] ?? setting.default);
  const text = (setting: SettingForm) => changed[setting.name] ?? given(setting);
  const set = (setting: SettingForm, value: string) =>
    setChanged(({ [setting.name]: _, ...others }) =>
      value === given(setting) ? others : { ...others, [setting.name]: value },
    );
  const iteration = learner.settings.find((setting) => setting.name === learner.iteration);
  const now = units ?? (iteration === undefined ? "" : text(iteration));
  /** A net that ships has a shape of its own, which the settings must name. */
  const startWith = (source: string) => {
    setLoad(source);
    const shape = learner.nets.find((net) => net.name === source)?.shape ?? {};
    const needed = learner.settings.filter(
      (setting) => setting.name in shape && textOf(shape[setting.name]!) !== given(setting),
    );
    const texts = Object.fromEntries(needed.map(({ name }) => [name, textOf(shape[name]!)]));
    setChanged((now) => ({ ...now, ...texts }));
  };
  const start = async (pauseAfter: string) => {
    const request: Request = {
      learner: learner.name,
      preset: preset.name,
      settings: changed,
      name,
      load: load || null,
      pause_after: pauseAfter === "" ? null : Number(pauseAfter),
    };
    const started = await attempt(() => post<RunName>("trainings", request));
    if (started === null) return;
    setName("");
    location.hash = linkTo("train", { run: started.name });
  };
  const field = (setting: SettingForm) => (
    <Field
      key={setting.name}
      setting={setting}
      text={text(setting)}
      changed={setting.name in changed}
      onChange={(value) => set(setting, value)}
    />
  );
  const [main, others] = sorted(learner);
  const sources = [...learner.nets.map((net) => net.name), ...runs.filter((run) => isSource(run, learner)).map((run) => run.name)];
  const data = learner.settings.find((setting) => setting.name === "data");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void start(now);
      }}
    >
      <label>
        <span>Preset</span>
        <select
          value={preset.name}
          onChange={(event) => {
            const found = learner.presets.find((one) => one.name === event.currentTarget.value);
            if (found) setPreset(found);
            setChanged({});
          }}
        >
          {learner.presets.map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </select>
        <small>{preset.about}</small>
      </label>
      {data !== undefined && (
        <DataField datasets={datasets} learner={learner} value={text(data)} onChoose={(value) => set(data, value)} />
      )}
      {sources.length > 0 && <SourceField sources={sources} load={load} onChoose={startWith} />}
      <div class="fields">{main.map(field)}</div>
      <details>
        <summary>All settings</summary>
        <div class="fields">
          <label>
            <span>name of the run</span>
            <input
              value={name}
              maxLength={80}
              placeholder={`${learner.name}-${preset.name}-1, -2, ...`}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
          {others.map(field)}
        </div>
      </details>
      <div class="line start">
        <Problem text={problem} />
        <label>
          <span>{iteration === undefined ? `pause after, ${learner.unit}` : `${learner.unit} now`}</span>
          <input
            type="number"
            min="1"
            step="1"
            value={now}
            placeholder={iteration === undefined ? "never" : "all"}
            onInput={(event) => setUnits(event.currentTarget.value)}
          />
        </label>
        <button class="main" type="submit" disabled={busy}>
          Train{now === "" ? "" : ` ${count(Number(now), learner.unit)}`}
        </button>
      </div>
    </form>
  );
}

/** The settings that people change first, in that order, and the others. */
function sorted({ settings, main_settings }: LearnerForm): [SettingForm[], SettingForm[]] {
  const named = (name: string) => settings.filter((setting) => setting.name === name);
  return [
    main_settings.flatMap(named),
    settings.filter((setting) => !main_settings.includes(setting.name)),
  ];
}

/** Whether a learner can start with the net of a run. */
function isSource(run: RunRow, learner: LearnerForm): boolean {
  return family(run.learner) === family(learner.name) && (run.done ?? 0) > 0;
}

function family(learner: string): string {
  return learner.replace(/^pretrain-/, "");
}

type SourceProps = { sources: string[]; load: string; onChoose: (name: string) => void };

/** Nets that ship, and those of runs. */
function SourceField({ sources, load, onChoose }: SourceProps) {
  return (
    <label>
      <span>starts with the net of</span>
      <select value={load} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="">none: it starts untrained</option>
        {sources.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

type DataProps = { datasets: DatasetRow[]; learner: LearnerForm; value: string; onChoose: (value: string) => void };

const NOTHING = "[]";

/** The dataset that a pretraining learns from; other paths are typed among all settings. The teacher can make its games
 * meanwhile, others must be there. */
function DataField({ datasets, learner, value, onChoose }: DataProps) {
  const kind = family(learner.name) === "dqn" ? "teacher" : "games";
  const ready = datasets.filter((one) => one.state === "ready" && one.kind === kind);
  const isTyped = value !== NOTHING && !ready.some((one) => value === JSON.stringify([one.path]));
  const none = ready.length === 0 ? "nothing yet: Import games below" : "choose a dataset";
  return (
    <label>
      <span>learns from</span>
      <select
        required={kind === "games"}
        value={value === NOTHING ? "" : value}
        onChange={(event) => onChoose(event.currentTarget.value || NOTHING)}
      >
        <option value="">{kind === "teacher" ? "new games of the teacher" : none}</option>
        {isTyped && <option value={value}>{value}</option>}
        {ready.map((one) => (
          <option key={one.name} value={JSON.stringify([one.path])}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Learners that the page does not start, and how they are started. */
export function CommandLineLearners({ learners }: { learners: LearnerForm[] }) {
  return (
    <>
      {learners
        .filter((one) => !one.here)
        .map((one) => (
          <p key={one.name} class="quiet elsewhere">
            {one.name} is started on the command line: <code>{one.command}</code>. Its runs are shown
            here, too.
          </p>
        ))}
    </>
  );
}

type FieldProps = {
  setting: SettingForm;
  text: string;
  changed: boolean;
  onChange: (text: string) => void;
};

export type SettingValue = SettingForm["default"];

/** A value as it is typed. */
export function textOf(value: SettingValue): string {
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
}

function Field({ setting, text, changed, onChange }: FieldProps) {
  const help = useId();
  return (
    <label class={`field ${changed ? "changed" : ""}`}>
      <span>
        {setting.name}
        {changed && <em> changed</em>}
      </span>
      <Input setting={setting} text={text} help={help} onChange={onChange} />
      <small id={help} title={setting.allowed}>
        {setting.description}
        <span class="allowed">; {setting.allowed}</span>
      </small>
    </label>
  );
}

type InputProps = Omit<FieldProps, "changed"> & { help: string };

function Input({ setting, text, help, onChange }: InputProps) {
  const change = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  const choices = setting.kind === "switch" ? ["true", "false"] : setting.choices;
  if (choices.length > 0)
    return (
      <select
        value={text}
        aria-label={setting.name}
        aria-describedby={help}
        onChange={change}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {setting.kind === "switch" ? (choice === "true" ? "yes" : "no") : choice}
          </option>
        ))}
      </select>
    );
  const numeric = setting.kind === "whole" || setting.kind === "number";
  return (
    <input
      value={text}
      aria-label={setting.name}
      aria-describedby={help}
      inputMode={numeric ? "decimal" : "text"}
      spellcheck={false}
      autocomplete="off"
      onInput={change}
    />
  );
}
