// Curves that grow: uPlot in the colours of the page.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

export type Curve = { name: string; values: (number | null)[] };
export type ChartProps = { title: string; x: number[]; curves: Curve[]; unit: string };

const COLOURS = ["--green", "--amber", "--blue", "--red"];
const HEIGHT = 190;
const FEW_POINTS = 30; // so few that a line does not show where they are

export function Chart({ title, x, curves, unit }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const names = curves.map((curve) => curve.name).join("\n");
  const data = [x, ...curves.map((curve) => curve.values)] as uPlot.AlignedData;
  useEffect(() => {
    const at = element.current;
    if (at === null) return;
    const made = new uPlot(optionsOf(at, names.split("\n"), unit), data, at);
    chart.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: at.clientWidth, height: HEIGHT }));
    resized.observe(at);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [names, unit]);
  useEffect(() => chart.current?.setData(data), [x, curves]);
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div ref={element} role="img" aria-label={summary(title, curves)} />
    </figure>
  );
}

function summary(title: string, curves: Curve[]): string {
  const last = curves.map((curve) => {
    const value = curve.values.findLast((one) => one !== null);
    return `${curve.name} ${value === undefined || value === null ? "none yet" : +value.toPrecision(4)}`;
  });
  return `${title}: ${last.join(", ")}`;
}

/** What a variable comes to: a canvas does not know light-dark(). */
function colourOf(at: HTMLElement, name: string): string {
  const probe = at.appendChild(document.createElement("i"));
  probe.style.color = `var(${name})`;
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

function optionsOf(at: HTMLElement, names: string[], unit: string): uPlot.Options {
  const colour = (name: string) => colourOf(at, name);
  const axis = {
    stroke: () => colour("--quiet"),
    grid: { stroke: () => colour("--line"), width: 1 },
    ticks: { stroke: () => colour("--line"), width: 1 },
  };
  return {
    width: at.clientWidth || 300,
    height: HEIGHT,
    scales: { x: { time: false } },
    axes: [axis, { ...axis, size: 56, values: (_, splits) => splits.map(short) }],
    legend: { live: false },
    series: [
      { label: unit },
      ...names.map((name, at) => ({
        label: name,
        stroke: () => colour(COLOURS[at % COLOURS.length]!),
        width: 2,
        spanGaps: true,
        points: { show: (of: uPlot, at: number) => isSparse(of.data[at]!) },
      })),
    ],
  };
}

function isSparse(values: ArrayLike<unknown>): boolean {
  return Array.from(values).filter((value) => value !== null).length <= FEW_POINTS;
}

function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e5 || (size > 0 && size < 1e-3)) return value.toExponential(0);
  return String(+value.toPrecision(4));
}
