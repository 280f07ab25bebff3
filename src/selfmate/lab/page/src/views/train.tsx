// The Train view: choose a learner and its settings, start it, and watch it learn.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import { linkTo, type Place } from "../place";
import { Problem } from "../problem";
import { useConnection, useTopic } from "../topics";
import type { DatasetsData, LearnerForm, RunRow } from "../types";
import "./train.css";
import { Compare, compareLink } from "./train/compare";
import { Datasets } from "./train/datasets";
import { CommandLineLearners, NewTraining } from "./train/form";
import { RunPanel } from "./train/run";
import { RunList } from "./train/run_list";

// Its curves rise within seconds: king and queen learn to mate the king on a small board.
const FIRST_LEARNER = "ddqn";

export function Train({ place }: { place: Place }) {
  const name = place.settings.get("run");
  const wanted = place.settings.get("learner");
  const { data: runs } = useTopic<RunRow[]>("runs");
  const { data: datasets } = useTopic<DatasetsData>("datasets");
  const { learners, problem } = useLearners();
  const compared = place.settings.get("compare");
  const isAlone = name === null && compared === null;
  const list = (
    <section class="card" aria-labelledby="runs" key="runs">
      <h2 id="runs">Runs</h2>
      <RunList runs={runs} chosen={name} />
      {runs !== null && runs.length > 1 && (
        <p class="line">
          <a class="button" href={compareLink(runs.slice(0, 3).map((run) => run.name))}>
            Compare
          </a>
        </p>
      )}
      <CommandLineLearners learners={learners ?? []} />
    </section>
  );
  return (
    <div class={`train ${isAlone ? "" : "with-run"}`}>
      <aside>
        {!isAlone && list}
        <section class="card" aria-labelledby="new-training" key="new">
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
              datasets={datasets?.datasets ?? []}
              first={wanted ?? FIRST_LEARNER}
            />
          )}
        </section>
        <section class="card" aria-labelledby="datasets" key="datasets">
          <h2 id="datasets">Games to learn from</h2>
          <Datasets data={datasets} />
        </section>
      </aside>
      {compared !== null ? (
        <section class="run">
          <a class="back" href={linkTo("train")}>
            ← New training and all runs
          </a>
          <Compare names={compared.split(",").filter(Boolean)} runs={runs ?? []} />
        </section>
      ) : name === null ? (
        <div class="run">
          <Welcome isFirst={runs !== null && runs.length === 0} />
          {list}
        </div>
      ) : (
        <section class="run" aria-label={`Run ${name}`}>
          <a class="back" href={linkTo("train")}>
            ← New training and all runs
          </a>
          <RunPanel key={name} name={name} learners={problem === null ? learners : []} />
        </section>
      )}
    </div>
  );
}

function Welcome({ isFirst }: { isFirst: boolean }) {
  return (
    <section class="card welcome">
      <h1>{isFirst ? "Teach a net to mate" : "Choose a run, or start one"}</h1>
      <p>
        Press <b>Train</b>: <b>ddqn</b> begins with a net that knows nothing but the rules. It plays
        king and queen against king on a small board and learns from the results. Within a minute
        it mates from nearly everywhere, and you see its curves rise and its games meanwhile.
      </p>
      <p>
        Then <b>look at its play</b>, or choose a learner of the whole game: <b>reinforce</b> learns
        to beat random moves in minutes, <b>dqn</b> and <b>alphazero</b> take longer. Pause whenever
        you like: a run resumes exactly where it was, even after the lab was closed.
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
