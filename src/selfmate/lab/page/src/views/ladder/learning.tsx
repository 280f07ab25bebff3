// Strength over training time: the evaluation matches of every run in one chart.
import { useMemo, useState } from "preact/hooks";
import { Chart } from "../../chart";
import { useTopic } from "../../topics";
import type { LearningRow } from "../../types";

export function Learning() {
  const { data: runs } = useTopic<LearningRow[]>("learning");
  return (
    <section class="card" aria-labelledby="learning-title">
      <h2 id="learning-title">Strength over training time</h2>
      {runs === null ? (
        <p class="quiet">Loading the runs ...</p>
      ) : runs.length === 0 ? (
        <p class="quiet">
          No run has been evaluated against other players yet. Train one, and its strength is drawn
          here over its training time.
        </p>
      ) : (
        <Curves runs={runs} />
      )}
    </section>
  );
}

const SECONDS_FOR_MINUTES = 180;
const MAX_CURVES = 8; // that can be distinguished

function Curves({ runs }: { runs: LearningRow[] }) {
  const opponents = [...new Set(runs.flatMap((run) => Object.keys(run.scores)))];
  const [wanted, setWanted] = useState(opponents[0]!);
  const opponent = opponents.includes(wanted) ? wanted : opponents[0]!;
  const { x, curves, inMinutes, leftOut } = useMemo(() => sideBySide(runs, opponent), [runs, opponent]);
  return (
    <>
      <label class="opponent">
        <span>Opponent</span>
        <select value={opponent} onChange={(event) => setWanted(event.currentTarget.value)}>
          {opponents.map((name) => (
            <option key={name} value={name}>
              {titleOf(name)}
            </option>
          ))}
        </select>
      </label>
      <Chart
        title={`Score against ${titleOf(opponent)}, %`}
        x={x}
        curves={curves}
        unit={inMinutes ? "minutes of training" : "seconds of training"}
        yRange={[0, 100]}
      />
      <p class="quiet">
        {leftOut > 0 && `The newest ${MAX_CURVES} runs; ${leftOut} more were evaluated. `}
        100 % wins every game, 50 % is as strong as the opponent. The time is that of the run itself,
        without the run whose net it started with.
      </p>
    </>
  );
}

/** On one axis: a run has no value where only another one was evaluated. */
function sideBySide(runs: LearningRow[], opponent: string) {
  const evaluated = runs.filter((run) => run.scores[opponent] !== undefined);
  const there = evaluated.slice(0, MAX_CURVES);
  const all = there.flatMap((run) => run.scores[opponent]![0]);
  const inMinutes = Math.max(...all) > SECONDS_FOR_MINUTES;
  const seconds = [...new Set(all)].sort((one, other) => one - other);
  const curves = there.map((run) => {
    const [at, scores] = run.scores[opponent]!;
    const byTime = new Map(at.map((time, index) => [time, 100 * scores[index]!]));
    return {
      name: `${run.name} (${run.learner})`,
      values: seconds.map((time) => byTime.get(time) ?? null),
    };
  });
  return {
    x: seconds.map((time) => (inMinutes ? time / 60 : time)),
    curves,
    inMinutes,
    leftOut: evaluated.length - there.length,
  };
}

function titleOf(opponent: string): string {
  return opponent.replaceAll("_", " ");
}
