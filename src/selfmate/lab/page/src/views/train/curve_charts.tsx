// The curves of a run: those that tell most, and the rest on demand.
import { useState } from "preact/hooks";
import { Chart, type Curve } from "../../chart";
import { type Group, groupsOf, wordsOf } from "./figures";
import type { Curves, Learner, Run } from "./types";

export function CurveCharts({ run, learner }: { run: Run; learner: Learner | undefined }) {
  const [all, setAll] = useState(false);
  const { curves } = run;
  if (curves === undefined) return null;
  const told = [...(learner?.plots ?? []), ...(learner?.headlines ?? [])];
  const { first, more } = groupsOf(Object.keys(curves.figures), told);
  const charts = (groups: Group[]) =>
    groups.map((group) => (
      <div class="card" key={group.title}>
        <GroupChart group={group} curves={curves} unit={run.unit ?? ""} />
        <small class="quiet">{group.meaning}</small>
      </div>
    ));
  return (
    <section aria-label="Curves">
      <div class="charts">{charts(first)}</div>
      {more.length > 0 && (
        <details onToggle={(event) => setAll(event.currentTarget.open)}>
          <summary>More curves ({more.length})</summary>
          {all && <div class="charts">{charts(more)}</div>}
        </details>
      )}
    </section>
  );
}

function GroupChart({ group, curves, unit }: { group: Group; curves: Curves; unit: string }) {
  const x = group.byTime ? curves.seconds.map((seconds) => seconds / 60) : curves.x;
  const drawn = group.figures.filter(
    (name, at) => at === 0 || curves.figures[name]!.some((value) => value),
  );
  const lines: Curve[] = drawn.map((name) => {
    const { title, share } = wordsOf(name, curves.figures);
    const values = curves.figures[name]!;
    return {
      name: title,
      values: share ? values.map((value) => (value === null ? null : 100 * value)) : values,
    };
  });
  return <Chart title={group.title} x={x} curves={lines} unit={group.byTime ? "minutes" : unit} />;
}
