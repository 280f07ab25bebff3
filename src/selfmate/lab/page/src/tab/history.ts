// The metrics of all iterations so far, as curves.
import type { CurvesData, StepData } from "../types";

export type HistoryRow = {
  step: number;
  /** Games so far. */
  done: number;
  /** Of training so far. */
  seconds: number;
  metrics: Record<string, number>;
};

const MAX_ROWS = 1000;
const LAST_STEPS = 10;

export class History {
  constructor(readonly rows: HistoryRow[] = []) {}

  add(metrics: Record<string, number>, games: number, seconds: number): void {
    const last = this.rows.at(-1);
    this.rows.push({
      step: (last?.step ?? 0) + 1,
      done: (last?.done ?? 0) + games,
      seconds: (last?.seconds ?? 0) + seconds,
      metrics,
    });
    if (this.rows.length > MAX_ROWS) this.thin();
  }

  /** More metrics of the last iteration, or of the net before the first. */
  amend(metrics: Record<string, number>): void {
    const last = this.rows.at(-1);
    if (last === undefined) this.rows.push({ step: 0, done: 0, seconds: 0, metrics });
    else Object.assign(last.metrics, metrics);
  }

  get done(): number {
    return this.rows.at(-1)?.done ?? 0;
  }

  /** The newest value of every metric, however old. */
  newest(): Record<string, number> {
    return Object.assign({}, ...this.rows.map((row) => row.metrics)) as Record<string, number>;
  }

  curves(names: string[]): CurvesData {
    const column = (name: string) => this.rows.map((row) => row.metrics[name] ?? null);
    return {
      x: this.rows.map((row) => row.done),
      seconds: this.rows.map((row) => row.seconds),
      metrics: Object.fromEntries(names.map((name) => [name, column(name)])),
    };
  }

  lastSteps(): StepData[] {
    const played = this.rows.filter((row) => row.done > 0);
    return played.slice(-LAST_STEPS).map(({ done, metrics }) => ({ done, metrics }));
  }

  /** Of the older half every second row is kept, and all that were evaluated. */
  private thin(): void {
    const half = this.rows.length / 2;
    const isKept = (row: HistoryRow, at: number) =>
      at >= half || at % 2 === 0 || "score_random" in row.metrics;
    const kept = this.rows.filter(isKept);
    this.rows.splice(0, this.rows.length, ...kept);
  }
}
