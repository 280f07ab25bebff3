// Train: choose what learns and how, start it, and watch it learn.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import { useConnection, useTopic } from "../news";
import { linkTo, type Place } from "../place";
import { Problem } from "../problem";
import "./train.css";
import { Elsewhere, NewTraining } from "./train/form";
import { RunList } from "./train/run_list";
import { RunPanel } from "./train/run_panel";
import type { RunRow } from "../runs";
import type { Learner } from "./train/types";

export function Train({ place }: { place: Place }) {
  const name = place.settings.get("run");
  const wanted = place.settings.get("learner");
  const heard = useTopic<RunRow[] | { error: string }>("runs");
  const runs = Array.isArray(heard) ? heard : null;
  const { learners, problem } = useLearners();
  return (
    <div class={`train ${name === null ? "" : "with-run"}`}>
      <aside>
        <section class="card" aria-labelledby="new-training">
          <h2 id="new-training">New training</h2>
          <Problem text={problem} />
          {learners === null && problem === null && (
            <p class="quiet">Looking at the learners ...</p>
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
          <Elsewhere learners={learners ?? []} />
        </section>
      </aside>
      {name === null ? (
        <Welcome none={runs !== null && runs.length === 0} />
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

function Welcome({ none }: { none: boolean }) {
  return (
    <section class="card welcome">
      <h1>{none ? "Teach an engine chess" : "Choose a run, or start one"}</h1>
      <p>
        Press <b>Train</b>: an engine that knows nothing but the rules plays games with itself and
        learns from how they end. You see its results, its curves and its games as it goes.
      </p>
      <p>
        Then press <b>Play</b> and find out what it has learned. Pause whenever you like: it goes on
        exactly where it was, also after the lab was closed.
      </p>
    </section>
  );
}

function useLearners() {
  const [learners, setLearners] = useState<Learner[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const connection = useConnection();
  useEffect(() => {
    setProblem(null);
    get<Learner[]>("learners").then(setLearners, (error: Error) => setProblem(error.message));
  }, [connection]);
  return { learners, problem };
}
