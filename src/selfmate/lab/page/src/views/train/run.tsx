// One run: its state, its actions, its metrics, notes and settings.
import { count, duration, decimal, timeLeft, whole } from "../../format";
import { Problem } from "../../problem";
import { useTopic } from "../../topics";
import type { LearnerForm, NoteData, RunData, SampleGame } from "../../types";
import { Actions } from "./actions";
import { type SettingValue, textOf } from "./form";
import { CurveCharts, StepsTable, Tiles } from "./metrics";
import { Replay } from "./replay";
import { isActive, perSecond, ProgressBar, State } from "./run_list";

/** Without the learners, which say what is shown first, only the head of a run is. */
export function RunPanel({ name, learners }: { name: string; learners: LearnerForm[] | null }) {
  const { data: run, error } = useTopic<RunData>(`run:${name}`);
  const { data: sample } = useTopic<SampleGame>(`sample:${name}`);
  if (error !== null) return <Problem text={error} />;
  if (run === null) return <p class="quiet">Loading {name} ...</p>;
  const learner = learners?.find((one) => one.name === run.learner);
  const hasGames = sample !== null || !run.learner.startsWith("pretrain-"); // which play none
  const begun = run.curves !== undefined && run.curves.x.length > 0;
  return (
    <>
      <section class="card head">
        <h1>
          {run.name} <State state={run.state} />
        </h1>
        <p class="quiet">
          {run.learner}, {run.summary}
        </p>
        <ProgressBar run={run} />
        <p class="facts" role="status">
          {facts(run).join(" · ")}
        </p>
        <Problem text={run.problem || (run.state === "failed" ? run.message : null) || null} />
        <Actions run={run} learner={learner} />
      </section>
      <Alarms run={run} />
      {begun && learners === null ? (
        <p class="quiet">Loading its curves ...</p>
      ) : begun ? (
        <>
          <div class={`show ${hasGames ? "" : "no-games"}`}>
            {hasGames && <Replay sample={sample} />}
            <Tiles run={run} learner={learner} />
          </div>
          <CurveCharts run={run} learner={learner} />
          <StepsTable run={run} learner={learner} />
        </>
      ) : (
        <p class="card quiet waiting">{waiting(run)}</p>
      )}
      <Notes notes={run.notes ?? []} />
      {run.config !== undefined && <SettingsTable config={run.config} learner={learner} />}
    </>
  );
}

function waiting(run: RunData): string {
  if (run.state === "starting")
    return "Starting: the learner is being loaded. This takes some seconds.";
  if (isActive(run)) return "The first step is being made. Curves come when it is done.";
  return "There are no metrics yet.";
}

function facts(run: RunData): string[] {
  if (run.done === undefined || !run.unit)
    return run.state === "starting" ? ["starting ..."] : ["it never started"];
  const found = [`${whole(run.done)} of ${count(run.total ?? 0, run.unit)}`];
  if (isActive(run) && run.activity) found.push(run.activity);
  if (isActive(run) && run.rate) found.push(perSecond(run.rate));
  if (run.state === "running") found.push(timeLeft(run.seconds_left));
  const seconds = run.curves?.seconds.at(-1);
  if (seconds !== undefined) found.push(`trained for ${duration(seconds)}`);
  if (run.best) found.push(`best score ${decimal(run.best.score)}`);
  if (run.state === "killed") found.push("its process was killed; it can be resumed");
  return found;
}

const RECENT_STEPS = 20;

/** Alarms of the last steps; an alarm is raised once, not in every step. */
function Alarms({ run }: { run: RunData }) {
  const since = (run.step ?? 0) - RECENT_STEPS;
  const alarms = (run.notes ?? []).filter((note) => note.alarm && note.step > since);
  if (alarms.length === 0) return null;
  return (
    <section class="alarms" aria-label="Alarms">
      {alarms.slice(0, 3).map((note) => (
        <p key={`${note.step} ${note.text}`} role="alert">
          {note.text}
        </p>
      ))}
    </section>
  );
}

function Notes({ notes }: { notes: NoteData[] }) {
  if (notes.length === 0) return null;
  return (
    <details class="card notes" open>
      <summary>Notes ({notes.length})</summary>
      <ol>
        {notes.map((note) => (
          <li key={`${note.step} ${note.text}`} class={note.alarm ? "alarm" : ""}>
            <small>step {note.step}</small> {note.text}
          </li>
        ))}
      </ol>
    </details>
  );
}

type SettingsProps = { config: Record<string, SettingValue>; learner: LearnerForm | undefined };

function SettingsTable({ config, learner }: SettingsProps) {
  const rows = Object.entries(config).map(([name, value]) => {
    const setting = learner?.settings.find((one) => one.name === name);
    const changed = setting !== undefined && textOf(setting.default) !== textOf(value);
    return { name, value: textOf(value), changed, about: setting?.description ?? "" };
  });
  const changed = rows.filter((row) => row.changed).length;
  rows.sort((one, other) => Number(other.changed) - Number(one.changed));
  return (
    <details class="card settings">
      <summary>
        Settings ({changed === 0 ? "all at their defaults" : `${changed} changed`})
      </summary>
      <table>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} class={row.changed ? "changed" : ""}>
              <th scope="row">{row.name}</th>
              <td>{row.value}</td>
              <td class="quiet">{row.about}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
