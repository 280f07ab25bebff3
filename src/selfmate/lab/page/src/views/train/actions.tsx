// What can be done with a run.
import { useState } from "preact/hooks";
import { post, remove } from "../../api";
import { linkTo } from "../../place";
import { Problem, useAttempt } from "../../problem";
import { whole } from "../../numbers";
import type { Learner, Run } from "./types";

type Props = { run: Run; learner: Learner | undefined };

export function Actions({ run, learner }: Props) {
  const { problem, busy, attempt } = useAttempt();
  const path = `trainings/${encodeURIComponent(run.name)}`;
  const ask = (verb: string, body: unknown = {}) =>
    void attempt(() => post(`${path}/${verb}`, body));
  const goesOn = run.state === "running";
  const isStill = !goesOn && run.state !== "starting";
  const canGoOn = ["paused", "stopped", "failed", "killed"].includes(run.state) && !!run.unit;
  return (
    <div class="actions">
      <div class="line">
        {goesOn && (
          <>
            <button disabled={busy} onClick={() => ask("pause")}>
              Pause
            </button>
            <button disabled={busy} onClick={() => ask("stop")}>
              Stop
            </button>
          </>
        )}
        {run.state === "starting" && (
          <button disabled={busy} onClick={() => ask("stop")}>
            Do not start
          </button>
        )}
        {canGoOn && learner?.here && (
          <GoOn
            run={run}
            learner={learner}
            busy={busy}
            onGo={(pause_after) => ask("resume", { pause_after })}
          />
        )}
      </div>
      <div class="line">
        <Links run={run} />
        {isStill && run.unit && <Delete run={run} onProblem={attempt} />}
      </div>
      <Problem text={problem} />
    </div>
  );
}

type GoOnProps = {
  run: Run;
  learner: Learner;
  busy: boolean;
  onGo: (pauseAfter: number | null) => void;
};

function GoOn({ run, learner, busy, onGo }: GoOnProps) {
  const click = learner.click === "" ? undefined : run.config?.[learner.click];
  const [units, setUnits] = useState(click === undefined ? "" : String(click));
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
        <button class="main" disabled={busy || !(number >= 1)} onClick={() => onGo(number)}>
          Train {whole(number)} more {learner.unit}
        </button>
      )}
      <button class={units === "" ? "main" : ""} disabled={busy} onClick={() => onGo(null)}>
        Resume to the end
      </button>
    </>
  );
}

/** To the views where it can be seen what a run has learned. */
function Links({ run }: { run: Run }) {
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
  run: Run;
  onProblem: <Answer>(work: () => Promise<Answer>) => Promise<Answer | null>;
};

function Delete({ run, onProblem }: DeleteProps) {
  const sure = `Delete the run ${run.name}, with its net and all its figures? This cannot be undone.`;
  const go = async () => {
    if (!confirm(sure)) return;
    const gone = await onProblem(() => remove(`runs/${encodeURIComponent(run.name)}`));
    if (gone !== null) location.hash = linkTo("train");
  };
  return (
    <button class="delete" onClick={() => void go()}>
      Delete
    </button>
  );
}
