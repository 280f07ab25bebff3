// A new training: what learns, from which preset, with which settings changed.
import { useState } from "preact/hooks";
import { post } from "../../api";
import { linkTo } from "../../place";
import { Problem, useAttempt } from "../../problem";
import { Field, textOf } from "./field";
import { count } from "../../numbers";
import type { RunRow } from "../../runs";
import type { Learner, Preset, Setting } from "./types";

type Props = { learners: Learner[]; runs: RunRow[]; first: string };
type Texts = Record<string, string>;

export function NewTraining({ learners, runs, first }: Props) {
  const here = learners.filter((learner) => learner.here);
  const [chosen, setChosen] = useState(first);
  const learner = here.find((one) => one.name === chosen) ?? here[0];
  if (learner === undefined) return null;
  return (
    <>
      <fieldset class="learners">
        <legend>What learns</legend>
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
      <Form key={learner.name} learner={learner} runs={runs} />
    </>
  );
}

function Form({ learner, runs }: { learner: Learner; runs: RunRow[] }) {
  const [preset, setPreset] = useState<Preset>(learner.presets[0]!);
  const [changed, setChanged] = useState<Texts>({});
  const [name, setName] = useState("");
  const [load, setLoad] = useState("");
  const [units, setUnits] = useState<string | null>(null);
  const { problem, busy, attempt } = useAttempt();

  const given = (setting: Setting) => textOf(preset.values[setting.name] ?? setting.default);
  const text = (setting: Setting) => changed[setting.name] ?? given(setting);
  const set = (setting: Setting, value: string) =>
    setChanged(({ [setting.name]: _, ...others }) =>
      value === given(setting) ? others : { ...others, [setting.name]: value },
    );
  const click = learner.settings.find((setting) => setting.name === learner.click);
  const now = units ?? (click === undefined ? "" : text(click));
  const start = async (pauseAfter: string) => {
    const order = {
      learner: learner.name,
      preset: preset.name,
      settings: changed,
      name,
      load: load || null,
      pause_after: pauseAfter === "" ? null : Number(pauseAfter),
    };
    const started = await attempt(() => post<{ name: string }>("trainings", order));
    if (started === null) return;
    setName("");
    location.hash = linkTo("train", { run: started.name });
  };
  const field = (setting: Setting) => (
    <Field
      key={setting.name}
      setting={setting}
      text={text(setting)}
      changed={setting.name in changed}
      onChange={(value) => set(setting, value)}
    />
  );
  const [main, others] = sorted(learner);
  const sources = runs.filter((run) => isSource(run, learner));
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
          {sources.length > 0 && (
            <label>
              <span>begins with the net of</span>
              <select value={load} onChange={(event) => setLoad(event.currentTarget.value)}>
                <option value="">nobody: it knows nothing</option>
                {sources.map((run) => (
                  <option key={run.name}>{run.name}</option>
                ))}
              </select>
            </label>
          )}
          {others.map(field)}
        </div>
      </details>
      <div class="line start">
        <Problem text={problem} />
        <label>
          <span>{click === undefined ? `pause after, ${learner.unit}` : `${learner.unit} now`}</span>
          <input
            type="number"
            min="1"
            step="1"
            value={now}
            placeholder={click === undefined ? "never" : "all"}
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

/** Those that people change first, in that order, and the others. */
function sorted({ settings, main_settings }: Learner): [Setting[], Setting[]] {
  const named = (name: string) => settings.filter((setting) => setting.name === name);
  return [
    main_settings.flatMap(named),
    settings.filter((setting) => !main_settings.includes(setting.name)),
  ];
}

/** Whether a learner's net may begin as that of a run. */
function isSource(run: RunRow, learner: Learner): boolean {
  return run.learner.replace(/^pretrain-/, "") === learner.name && (run.done ?? 0) > 0;
}

/** Those that need a file, and how they are started. */
export function Elsewhere({ learners }: { learners: Learner[] }) {
  return (
    <>
      {learners
        .filter((one) => !one.here)
        .map((one) => (
          <p key={one.name} class="quiet elsewhere">
            {one.name} learns from a file and is started on the command line:{" "}
            <code>{one.command} --data FILE</code>. Its runs show here, too.
          </p>
        ))}
    </>
  );
}
