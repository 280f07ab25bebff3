// The Train view: choose a learner and its settings, start it, and watch it learn.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import { linkTo, type Place } from "../place";
import { Problem } from "../problem";
import { useConnection, useTopic } from "../topics";
import type { LearnerForm, RunRow } from "../types";
import "./train.css";
import { CommandLineLearners, NewTraining } from "./train/form";
import { RunPanel } from "./train/run";
import { RunList } from "./train/run_list";

export function Train({ place }: { place: Place }) {
  const name = place.settings.get("run");
  const wanted = place.settings.get("learner");
  const { data: runs } = useTopic<RunRow[]>("runs");
  const { learners, problem } = useLearners();
  return (
    <div class={`train ${name === null ? "" : "with-run"}`}>
      <aside>
        <section class="card" aria-labelledby="new-training">
          <h2 id="new-training">New training</h2>
          <Problem text={problem} />
          {learners === null && problem === null && (
            <p class="quiet">Loading the learners ...</p>
          )}
          {learners !== null && (
            <NewTraining
              key={wanted}
              learners={learners}
              runs={runs ?? []}
              first={wanted ?? "reinforce"}
            />
          )}
        </section>
        <section class="card" aria-labelledby="runs">
          <h2 id="runs">Runs</h2>
          <RunList runs={runs} chosen={name} />
          <CommandLineLearners learners={learners ?? []} />
        </section>
      </aside>
      {name === null ? (
        <Welcome isFirst={runs !== null && runs.length === 0} />
      ) : (
        <section class="run" aria-label={`Run ${name}`}>
          <a class="back" href={linkTo("train")}>
            ← New training and all runs
          </a>
          <RunPanel key={name} name={name} learners={learners ?? []} />
        </section>
      )}
    </div>
  );
}

function Welcome({ isFirst }: { isFirst: boolean }) {
  return (
    <section class="card welcome">
      <h1>{isFirst ? "Teach an engine chess" : "Choose a run, or start one"}</h1>
      <p>
        Press <b>Train</b>: an engine that knows nothing but the rules plays games against itself and
        learns from their results. You see its results, its curves and its games meanwhile.
      </p>
      <p>
        Then press <b>Play</b> and find out what it has learned. Pause whenever you like: it resumes
        exactly where it was, even after the lab was closed.
      </p>
    </section>
  );
}

function useLearners() {
  const [learners, setLearners] = useState<LearnerForm[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const connection = useConnection();
  useEffect(() => {
    setProblem(null);
    get<LearnerForm[]>("learners").then(setLearners, (error: Error) => setProblem(error.message));
  }, [connection]);
  return { learners, problem };
}
