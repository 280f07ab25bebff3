// Several runs in one chart: one metric, a curve for each run.
import { useState } from "preact/hooks";
import { Chart, type Curve, TIME } from "../../chart";
import { linkTo } from "../../place";
import { useTopic } from "../../topics";
import type { Metric, RunData, RunRow } from "../../types";
import { titleWithUnit } from "./metrics";

export const MAX_COMPARED = 6;
const KEY_METRIC = /^(score_|exact_|mate_percent|loss)/;

type Props = { names: string[]; runs: RunRow[] };

export function Compare({ names, runs }: Props) {
  const compared = names.slice(0, MAX_COMPARED);
  return (
    <section class="card compare" aria-label="Comparison">
      <h1>Compare runs</h1>
      <fieldset class="files">
        <legend>Runs, up to {MAX_COMPARED}</legend>
        {namesInOrder(runs).map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={compared.includes(name)}
              disabled={compared.length === MAX_COMPARED && !compared.includes(name)}
              onChange={() => (location.hash = compareLink(toggled(compared, name)))}
            />
            {name}
          </label>
        ))}
      </fieldset>
      {compared.length === 0 ? <p class="quiet">{runs.length === 0 ? "There are no runs yet." : "Choose runs above."}</p> : <Compared key={compared.join("\n")} names={compared} />}
    </section>
  );
}

/** By name, numbers as numbers: a list of what runs would change its order under the mouse. */
function namesInOrder(runs: RunRow[]): string[] {
  return runs.map(({ name }) => name).sort(new Intl.Collator("en", { numeric: true }).compare);
}

export function compareLink(names: string[]): string {
  return linkTo("train", { compare: names.join(",") });
}

function toggled(names: string[], name: string): string[] {
  return names.includes(name) ? names.filter((one) => one !== name) : [...names, name];
}

/** Follows its runs: there are always as many topics, so that hooks keep their order. */
function Compared({ names }: { names: string[] }) {
  const all = names.map((name) => useTopic<RunData>(`run:${name}`).data);
  const [chosen, setChosen] = useState<string | null>(null);
  const [smoothing, setSmoothing] = useState(0);
  const [isLog, setLog] = useState(false);
  const [byTime, setByTime] = useState(false);
  const loaded = all.filter((run) => run !== null);
  const metrics = metricsOf(loaded);
  const metric = metrics.find((one) => one.name === chosen) ?? metrics.find((one) => KEY_METRIC.test(one.name)) ?? metrics[0];
  if (metric === undefined) return <p class="quiet">These runs have no metrics yet.</p>;
  const { x, curves } = joined(loaded, metric, byTime, smoothing);
  return (
    <>
      <div class="line">
        <label>
          <span>Metric</span>
          <select value={metric.name} onChange={(event) => setChosen(event.currentTarget.value)}>
            {metrics.map((one) => (
              <option key={one.name} value={one.name}>
                {one.title}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Smoothing: {smoothing === 0 ? "none" : smoothing.toFixed(2)}</span>
          <input
            type="range"
            aria-label="Smoothing"
            min="0"
            max="0.98"
            step="0.02"
            value={smoothing}
            onInput={(event) => setSmoothing(event.currentTarget.valueAsNumber)}
          />
        </label>
        <label class="switch">
          <input type="checkbox" checked={isLog} onChange={(event) => setLog(event.currentTarget.checked)} />
          <span>Log scale</span>
        </label>
        <label class="switch">
          <input type="checkbox" checked={byTime} onChange={(event) => setByTime(event.currentTarget.checked)} />
          <span>By training time</span>
        </label>
      </div>
      <Chart
        key={`${isLog} ${byTime} ${metric.name}`}
        title={titleWithUnit(metric.title, [metric])}
        x={x}
        curves={curves}
        unit={byTime ? TIME : (loaded[0]?.unit ?? "")}
        isLog={isLog}
        height={360}
      />
      <small class="quiet">{metric.meaning}</small>
    </>
  );
}

/** Of all runs, each once. */
function metricsOf(runs: RunData[]): Metric[] {
  const found = new Map<string, Metric>();
  for (const run of runs) for (const metric of run.metrics ?? []) found.set(metric.name, found.get(metric.name) ?? metric);
  return [...found.values()];
}

/** All runs over one axis, with gaps where a run has no point. */
function joined(runs: RunData[], metric: Metric, byTime: boolean, smoothing: number): { x: number[]; curves: Curve[] } {
  const points = runs.map((run) => {
    const at = byTime ? run.curves?.seconds.map((seconds) => seconds / 60) : run.curves?.x;
    const values = smoothed(run.curves?.metrics[metric.name] ?? [], smoothing);
    return new Map((at ?? []).map((one, index) => [one, values[index] ?? null]));
  });
  const x = [...new Set(points.flatMap((one) => [...one.keys()]))].sort((one, other) => one - other);
  const scale = metric.unit === "fraction" ? 100 : 1;
  const valueAt = (of: Map<number, number | null>, one: number) => {
    const value = of.get(one);
    return value === undefined || value === null ? null : scale * value;
  };
  const curves = runs.map((run, at) => ({ name: run.name, values: x.map((one) => valueAt(points[at]!, one)) }));
  return { x, curves };
}

/** An exponential mean without the pull of the first value, as in TensorBoard. */
export function smoothed(values: (number | null)[], weight: number): (number | null)[] {
  let [sum, total] = [0, 0];
  return values.map((value) => {
    if (value === null || weight === 0) return value;
    sum = weight * sum + (1 - weight) * value;
    total = weight * total + (1 - weight);
    return sum / total;
  });
}
