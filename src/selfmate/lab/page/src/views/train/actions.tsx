// The buttons of a run: pause, stop, end now, resume, delete, and links to other views.
import { useState } from "preact/hooks";
import { post, remove } from "../../api";
import { count } from "../../format";
import { linkTo } from "../../place";
import { Problem, useAttempt } from "../../problem";
import type { LearnerForm, RunData } from "../../types";
import { isActive } from "./run_list";

type Props = { run: RunData; learner: LearnerForm | undefined };

export function Actions({ run, learner }: Props) {
  const { problem, busy, attempt } = useAttempt();
  const path = `trainings/${encodeURIComponent(run.name)}`;
  const send = (verb: string, body: unknown = {}) =>
    void attempt(() => post(`${path}/${verb}`, body));
  const isRunning = run.state === "running";
  const isEnding = isActive(run) && !isRunning;
  const isIdle = !isActive(run) && run.state !== "starting";
  const canResume = ["paused", "stopped", "failed", "killed"].includes(run.state) && !!run.unit;
  return (
    <div class="actions">
      <div class="line">
        {isRunning && (
          <>
            <button disabled={busy} onClick={() => send("pause")}>
              Pause
            </button>
            <button disabled={busy} onClick={() => send("stop")}>
              Stop
            </button>
          </>
        )}
        {isEnding && (
          <>
            <span role="status">
              {run.state === "pausing" ? "Pausing" : "Stopping"} after this batch ...
            </span>
            <button
              disabled={busy}
              title="Ends its process at once. The run can be resumed from its last checkpoint."
              onClick={() => send("end")}
            >
              End now
            </button>
          </>
        )}
        {run.state === "starting" && (
          <button disabled={busy} onClick={() => send("stop")}>
            Cancel the start
          </button>
        )}
        {run.unit && (
          <a class="button" href={`/api/runs/${encodeURIComponent(run.name)}/download`} download>
            Download
          </a>
        )}
        {canResume && learner?.here && (
          <Resume
            run={run}
            learner={learner}
            busy={busy}
            onResume={(pause_after) => send("resume", { pause_after })}
          />
        )}
      </div>
      <div class="line">
        <Links run={run} />
        {isIdle && run.unit && <Delete run={run} attempt={attempt} />}
      </div>
      <Problem text={problem} />
    </div>
  );
}

type ResumeProps = {
  run: RunData;
  learner: LearnerForm;
  busy: boolean;
  onResume: (pauseAfter: number | null) => void;
};

function Resume({ run, learner, busy, onResume }: ResumeProps) {
  const iteration = learner.iteration === "" ? undefined : run.config?.[learner.iteration];
  const [units, setUnits] = useState(iteration === undefined ? "" : String(iteration));
  const number = Number(units);
  return (
    <>
      <label>
        <span>{learner.unit} more</span>
        <input
          type="number"
          min="1"
          step="1"
          value={units}
          placeholder="all"
          onInput={(event) => setUnits(event.currentTarget.value)}
        />
      </label>
      {units !== "" && (
        <button class="main" disabled={busy || !(number >= 1)} onClick={() => onResume(number)}>
          Train {count(number, `more ${learner.unit}`)}
        </button>
      )}
      <button class={units === "" ? "main" : ""} disabled={busy} onClick={() => onResume(null)}>
        Resume to the end
      </button>
    </>
  );
}

/** Links to the views that show what a run has learned. */
function Links({ run }: { run: RunData }) {
  if (!run.plays || !run.done) return null;
  if (run.plays === "minichess")
    return (
      <a class="button play" href={linkTo("endgame", { run: run.name })}>
        Look at its play
      </a>
    );
  const player = `runs/${run.name}`;
  return (
    <>
      <a class="button play" href={linkTo("play", { player })}>
        Play
      </a>
      <a class="button" href={linkTo("match", { a: player })}>
        Match
      </a>
      <a class="button" href={linkTo("ladder", { player })}>
        Rate
      </a>
      <a class="button" href={linkTo("analyse", { player })}>
        Analyse
      </a>
    </>
  );
}

type DeleteProps = {
  run: RunData;
  attempt: <Answer>(work: () => Promise<Answer>) => Promise<Answer | null>;
};

function Delete({ run, attempt }: DeleteProps) {
  const sure = `Delete the run ${run.name}, with its net and all its metrics? This cannot be undone.`;
  const go = async () => {
    if (!confirm(sure)) return;
    const gone = await attempt(() => remove(`runs/${encodeURIComponent(run.name)}`));
    if (gone !== null) location.hash = linkTo("train");
  };
  return (
    <button class="delete" onClick={() => void go()}>
      Delete
    </button>
  );
}
