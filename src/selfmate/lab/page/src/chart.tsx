// Curves that grow: uPlot in the colours of the page.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { decimal, short } from "./format";

/** An `edge` is thin and in the first curve's colour; what lies between two of them is shaded. */
export type Curve = { name: string; values: (number | null)[]; edge?: boolean };
export type ChartProps = {
  title: string;
  x: number[];
  curves: Curve[];
  unit: string;
  /** Where the axes end, when the data do not decide it. */
  xMost?: number;
  yRange?: [number, number];
  isLog?: boolean;
  height?: number;
};

/** The unit of an axis of time; all others are counted. */
export const TIME = "minutes";
const COLOURS = ["--green", "--amber", "--blue", "--red"];
const HEIGHT = 190;
const WHOLE_STEPS = Array.from({ length: 36 }, (_, at) => [1, 2, 5][at % 3]! * 10 ** Math.floor(at / 3));
const FEW_POINTS = 30; // so few that a line does not show where they are

export function Chart(props: ChartProps) {
  const { title, x, curves, unit, xMost, yRange, isLog = false, height = HEIGHT } = props;
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const look = JSON.stringify([curves.map((curve) => [curve.name, curve.edge]), xMost, yRange, isLog]);
  const drawn = (values: Curve["values"]) => (isLog ? values.map((one) => (one !== null && one > 0 ? one : null)) : values);
  const data = [x, ...curves.map((curve) => drawn(curve.values))] as uPlot.AlignedData;
  useEffect(() => {
    const at = element.current;
    if (at === null) return;
    const made = new uPlot(optionsOf(at, { ...props, height }), data, at);
    chart.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: at.clientWidth, height }));
    resized.observe(at);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [look, unit]);
  useEffect(() => chart.current?.setData(data), [x, curves]);
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div ref={element} role="img" aria-label={summary(title, curves)} />
    </figure>
  );
}

function summary(title: string, curves: Curve[]): string {
  const last = curves.filter((curve) => !curve.edge).map((curve) => {
    const value = curve.values.findLast((one) => one !== null);
    return `${curve.name} ${value === undefined || value === null ? "none yet" : +value.toPrecision(4)}`;
  });
  return `${title}: ${last.join(", ")}`;
}

function optionsOf(at: HTMLElement, props: ChartProps): uPlot.Options {
  const { curves, unit, xMost, yRange, isLog = false, height = HEIGHT } = props;
  const colour = (name: string, share = 100) => colourOf(at, name, share);
  const edges = curves.flatMap((curve, index) => (curve.edge ? [index + 1] : []));
  const axis = {
    stroke: () => colour("--quiet"),
    grid: { stroke: () => colour("--line"), width: 1 },
    ticks: { stroke: () => colour("--line"), width: 1 },
  };
  return {
    width: at.clientWidth || 300,
    height,
    plugins: [tooltip(unit)],
    scales: {
      x: { time: false, ...(xMost !== undefined && { range: [0, xMost] as [number, number] }) },
      y: { ...(yRange !== undefined && { range: yRange }), ...(isLog && { distr: 3 as const }) },
    },
    bands:
      edges.length === 2
        ? [{ series: [edges[1]!, edges[0]!], fill: () => colour(COLOURS[0]!, 15) }]
        : [],
    legend: { markers: { dash: (_, at) => (at > COLOURS.length ? "dashed" : "solid") } },
    axes: [
      { ...axis, values: (_, splits) => splits.map(label), ...(unit !== TIME && { incrs: WHOLE_STEPS }) },
      { ...axis, size: 56, values: (_, splits) => splits.map(label) },
    ],
    series: [
      { label: unit, value: newestValue },
      ...curves.map(({ name, edge }, index) => ({
        label: name,
        value: newestValue,
        stroke: () => colour(COLOURS[edge ? 0 : index % COLOURS.length]!),
        width: edge ? 1 : 2,
        // Colours come round again, then dashed.
        dash: !edge && index >= COLOURS.length ? [6, 4] : [],
        spanGaps: true,
        points: { show: (of: uPlot, at: number) => !edge && isSparse(of.data[at]!) },
      })),
    ],
  };
}

/** uPlot leaves out some labels of a logarithmic axis. */
function label(split: number | null): string {
  return split === null ? "" : short(split);
}

/** The values under the mouse, beside it; where a curve has a gap, the value before. */
function tooltip(unit: string): uPlot.Plugin {
  const box = document.createElement("div");
  box.className = "tooltip";
  box.hidden = true;
  const show = (chart: uPlot) => {
    const { idx, left = 0, top = 0 } = chart.cursor;
    box.hidden = idx == null || left < 0;
    if (idx == null || box.hidden) return;
    const lines = chart.series.slice(1).map((series, at) => {
      const value = lastValue(chart.data[at + 1]!, idx);
      return value === null ? null : `${series.label}: ${decimal(value)}`;
    });
    box.textContent = [`${unit} ${decimal(chart.data[0]![idx]!)}`, ...lines].filter((one) => one !== null).join("\n");
    const isRight = left > chart.over.clientWidth / 2;
    box.style.left = isRight ? "" : `${left + 14}px`;
    box.style.right = isRight ? `${chart.over.clientWidth - left + 14}px` : "";
    box.style.top = `${Math.max(0, top - 10)}px`;
  };
  return { hooks: { init: (chart) => void chart.over.append(box), setCursor: show } };
}

function lastValue(values: ArrayLike<number | null | undefined>, to: number): number | null {
  for (let at = to; at >= 0; at -= 1) if (values[at] != null) return values[at]!;
  return null;
}

function isSparse(values: ArrayLike<unknown>): boolean {
  return Array.from(values).filter((value) => value !== null).length <= FEW_POINTS;
}

/** For the legend: the value under the mouse, else the newest. */
function newestValue(chart: uPlot, value: number | null, index: number, at: number | null): string {
  const all = Array.from(chart.data[index] ?? []);
  const shown = at === null ? all.findLast((one) => one != null) : value;
  return shown == null ? "–" : decimal(shown);
}

/** A canvas knows neither variables nor light and dark: CSS works the colour out. */
function colourOf(at: HTMLElement, name: string, share: number): string {
  const probe = at.appendChild(document.createElement("span"));
  probe.style.color = `color-mix(in srgb, var(${name}) ${share}%, transparent)`;
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
