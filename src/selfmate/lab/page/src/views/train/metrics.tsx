// The metrics of a run: the newest values as tiles, all of them as curves, and the last steps.
import { useState } from "preact/hooks";
import { Chart, type Curve, TIME } from "../../chart";
import { count, decimal, percent, whole } from "../../format";
import type { CurvesData, LearnerForm, Metric, RunData } from "../../types";

/** What is shown first. */
type Plotted = Pick<LearnerForm, "plots" | "key_metrics">;
type Props = { run: RunData; learner: Plotted | undefined };

const RESULTS = ["white_wins", "draws", "truncated_games", "black_wins"];
const MAX_TILES = 12;
const MAX_COLUMNS = 7;

export function Tiles({ run, learner }: Props) {
  const newest = run.newest ?? {};
  const metrics = run.metrics ?? [];
  const every = run.config?.["evaluate_every"];
  const hasResults = RESULTS.every((name) => name in newest);
  const names = learner?.key_metrics.length
    ? learner.key_metrics
    : metrics.map((metric) => metric.name);
  const shown = [...new Set([...names, "plies"])].filter(
    (name) => name in newest && !(hasResults && RESULTS.includes(name)),
  );
  return (
    <div class="tiles">
      {hasResults && <Results run={run} newest={newest} />}
      {shown.slice(0, MAX_TILES).map((name) => (
        <Tile key={name} metric={metricOf(metrics, name)} value={newest[name]!} />
      ))}
      {every !== undefined && !metrics.some(isStrength) && (
        <div class="tile">
          <span>Strength</span>
          <small>measured every {every === 1 ? "step" : `${every} steps`}, in evaluation games</small>
        </div>
      )}
    </div>
  );
}

function isStrength({ name }: Metric): boolean {
  return /^(score|exact)_/.test(name);
}

function Tile({ metric, value }: { metric: Metric; value: number }) {
  return (
    <div class="tile" title={metric.meaning}>
      <span>{metric.title}</span>
      <b>
        {valueText(metric, value)} <span class="unit">{unitOf(metric)}</span>
      </b>
      <small>{metric.meaning}</small>
    </div>
  );
}

/** How the games of the newest step ended. */
function Results({ run, newest }: { run: RunData; newest: Record<string, number> }) {
  const [last, before] = [run.steps?.at(-1)?.done ?? 0, run.steps?.at(-2)?.done ?? 0];
  const titles: Record<string, string> = {
    white_wins: "White",
    draws: "drawn",
    truncated_games: "truncated",
    black_wins: "Black",
  };
  const parts = RESULTS.map((name) => ({ name, share: newest[name]!, title: titles[name]! }));
  return (
    <div class="tile results">
      <span>How its last {last - before === 1 ? "game" : count(last - before, "games")} ended</span>
      <div
        class="bar"
        role="img"
        aria-label={parts.map((part) => `${part.title} ${percent(part.share)}`).join(", ")}
      >
        {parts.map((part) => (
          <i key={part.name} class={part.name} style={{ flexGrow: part.share }} />
        ))}
      </div>
      <ul>
        {parts.map((part) => (
          <li key={part.name}>
            <i class={part.name} /> {part.title} <b>{percent(part.share)}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

type ChartGroup = { title: string; meaning: string; byTime: boolean; metrics: Metric[] };

/** Groups and key metrics first, the rest on demand. */
export function CurveCharts({ run, learner }: Props) {
  const [all, setAll] = useState(false);
  const { curves, metrics } = run;
  if (curves === undefined || metrics === undefined) return null;
  const keys = [...(learner?.plots ?? []), ...(learner?.key_metrics ?? [])];
  const groups = groupsOf(metrics);
  const isFirst = ({ metrics: [metric, ...others] }: ChartGroup) =>
    others.length > 0 || metric!.group !== null || keys.includes(metric!.name);
  const more = groups.filter((group) => !isFirst(group));
  const charts = (shown: ChartGroup[]) =>
    shown.map((group) => (
      <div class="card" key={group.title}>
        <GroupChart group={group} curves={curves} unit={run.unit ?? ""} />
        <small class="quiet">{group.meaning}</small>
      </div>
    ));
  return (
    <section aria-label="Curves">
      <div class="charts">{charts(groups.filter(isFirst))}</div>
      {more.length > 0 && (
        <details onToggle={(event) => setAll(event.currentTarget.open)}>
          <summary>More curves ({more.length})</summary>
          {all && <div class="charts">{charts(more)}</div>}
        </details>
      )}
    </section>
  );
}

/** One chart for each group of metrics, and for each metric without a group. */
function groupsOf(metrics: Metric[]): ChartGroup[] {
  const groups = new Map<string, Metric[]>();
  for (const metric of metrics) {
    const title = metric.group?.title ?? metric.title;
    groups.set(title, [...(groups.get(title) ?? []), metric]);
  }
  return [...groups].map(([title, [first, ...others]]) => ({
    title: titleWithUnit(title, [first!, ...others]),
    meaning: first!.group?.meaning ?? meaningOf(first!),
    byTime: first!.group?.by_time ?? false,
    metrics: [first!, ...others],
  }));
}

/** The unit is named if all metrics share it and the title does not say it already. */
export function titleWithUnit(title: string, metrics: Metric[]): string {
  const [unit = "", ...others] = new Set(metrics.map(({ unit }) => (unit === "fraction" ? "%" : unit)));
  const isKnown = others.length > 0 || unit === "" || title.toLowerCase().endsWith(unit);
  return isKnown ? title : `${title}, ${unit}`;
}

function meaningOf({ meaning, better }: Metric): string {
  return better === null ? meaning : `${meaning} (${better} is better)`;
}

type GroupChartProps = { group: ChartGroup; curves: CurvesData; unit: string };

function GroupChart({ group, curves, unit }: GroupChartProps) {
  const x = group.byTime ? curves.seconds.map((seconds) => seconds / 60) : curves.x;
  const drawn = group.metrics.filter(
    ({ name }, at) => at === 0 || curves.metrics[name]!.some((value) => value),
  );
  const lines: Curve[] = drawn.map((metric) => {
    const values = curves.metrics[metric.name]!;
    const inPercent = () => values.map((value) => (value === null ? null : 100 * value));
    return { name: metric.title, values: metric.unit === "fraction" ? inPercent() : values };
  });
  return <Chart title={group.title} x={x} curves={lines} unit={group.byTime ? TIME : unit} />;
}

const FIRST_COLUMNS = ["white_wins", "draws", "truncated_games", "black_wins", "plies"];

/** The newest steps, a line each. */
export function StepsTable({ run, learner }: Props) {
  const steps = [...(run.steps ?? [])].reverse();
  const newest = steps[0];
  if (newest === undefined) return null;
  const recorded = Object.keys(newest.metrics);
  const names = [...new Set([...FIRST_COLUMNS, ...(learner?.key_metrics ?? []), ...recorded])];
  const columns = names
    .filter((name) => name in newest.metrics)
    .slice(0, MAX_COLUMNS)
    .map((name) => metricOf(run.metrics ?? [], name));
  return (
    <section class="card steps">
      <h2>Last steps</h2>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{run.unit}</th>
              {columns.map((metric) => (
                <th key={metric.name} scope="col" title={metric.meaning}>
                  {metric.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.map((step) => (
              <tr key={step.done}>
                <td>{whole(step.done)}</td>
                {columns.map((metric) => (
                  <td key={metric.name}>{cellText(metric, step.metrics[metric.name])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function metricOf(metrics: Metric[], name: string): Metric {
  const known = metrics.find((metric) => metric.name === name);
  return known ?? { name, title: name, meaning: "", unit: "", better: null, group: null };
}

function cellText(metric: Metric, value: number | undefined): string {
  return value === undefined ? "" : valueText(metric, value);
}

function valueText(metric: Metric, value: number): string {
  return metric.unit === "fraction" ? percent(value) : decimal(value);
}

/** To be shown after a value; a fraction has its sign already. */
function unitOf({ unit }: Metric): string {
  return unit === "fraction" ? "" : unit;
}
