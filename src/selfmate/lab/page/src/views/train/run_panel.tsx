// One run: how it stands, what can be done with it, and all it has come to.
import { useTopic } from "../../news";
import { Problem } from "../../problem";
import { Actions } from "./actions";
import { CurveCharts } from "./curve_charts";
import { Alarms, Notes } from "./notes";
import { count, duration, figure, whole } from "../../numbers";
import { Replay } from "./replay";
import { perSecond, ProgressBar, State } from "./run_list";
import { SettingsTable } from "./settings_table";
import { StepsTable } from "./steps_table";
import { Tiles } from "./tiles";
import type { Learner, Run, Sample } from "./types";

export function RunPanel({ name, learners }: { name: string; learners: Learner[] }) {
  const run = useTopic<Run | { error: string }>(`run:${name}`);
  const sample = useTopic<Sample | { error: string }>(`sample:${name}`);
  if (run === null) return <p class="quiet">Looking at {name} ...</p>;
  if ("error" in run) return <Problem text={run.error} />;
  const learner = learners.find((one) => one.name === run.learner);
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
      {begun ? (
        <>
          <div class="show">
            <Replay sample={sample !== null && "fens" in sample ? sample : null} />
            <Tiles run={run} learner={learner} />
          </div>
          <CurveCharts run={run} learner={learner} />
          <StepsTable run={run} learner={learner} />
        </>
      ) : (
        <p class="card quiet waiting">{waiting(run.state)}</p>
      )}
      <Notes notes={run.notes ?? []} />
      {run.config !== undefined && <SettingsTable config={run.config} learner={learner} />}
    </>
  );
}

function waiting(state: string): string {
  if (state === "starting") return "Starting: the learner is being loaded. This takes some seconds.";
  if (state === "running") return "The first games are being played. Curves come with the first step.";
  return "There are no figures yet.";
}

function facts(run: Run): string[] {
  if (run.done === undefined || !run.unit)
    return run.state === "starting" ? ["starting ..."] : ["it never began"];
  const found = [`${whole(run.done)} of ${count(run.total ?? 0, run.unit)}`];
  if (run.state === "running" && run.rate) found.push(perSecond(run.rate));
  if (run.state === "running" && run.seconds_left)
    found.push(`about ${duration(run.seconds_left)} left`);
  const seconds = run.curves?.seconds.at(-1);
  if (seconds !== undefined) found.push(`trained for ${duration(seconds)}`);
  if (run.best) found.push(`best score ${figure(run.best.score)}`);
  if (run.state === "killed") found.push("its process ended without a word; it can go on");
  return found;
}
