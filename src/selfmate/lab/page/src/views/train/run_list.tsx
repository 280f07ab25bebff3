// All runs, the newest first, each with its progress.
import { count, whole } from "../../format";
import { linkTo } from "../../place";
import type { RunRow } from "../../types";

export function RunList({ runs, chosen }: { runs: RunRow[] | null; chosen: string | null }) {
  if (runs === null) return <p class="quiet">Loading the runs ...</p>;
  if (runs.length === 0)
    return <p class="quiet">None yet. Press Train, or use the command line: both are shown here.</p>;
  return (
    <ul class="rows runs">
      {runs.map((run) => (
        <li key={run.name}>
          <a
            href={linkTo("train", { run: run.name })}
            aria-current={run.name === chosen ? "true" : undefined}
          >
            <span class="title">
              <b>{run.name}</b>
              <State state={run.state} />
            </span>
            <ProgressBar run={run} />
            <small>{progressText(run)}</small>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Whether its process is at work, perhaps for the last time. */
export function isActive({ state }: RunRow): boolean {
  return ["running", "pausing", "stopping"].includes(state);
}

export function State({ state }: { state: string }) {
  const isPassing = ["starting", "pausing", "stopping"].includes(state);
  return <span class={`state ${state}`}>{isPassing ? `${state} ...` : state}</span>;
}

export function ProgressBar({ run }: { run: RunRow }) {
  return (
    <progress
      class={run.state}
      aria-label={`Progress of ${run.name}`}
      max={run.total || 1}
      value={run.done ?? 0}
    />
  );
}

function progressText(run: RunRow): string {
  if (run.done === undefined || !run.unit) return "...";
  const progress = `${whole(run.done)} of ${count(run.total ?? 0, run.unit)}`;
  return isActive(run) && run.rate ? `${progress}, ${perSecond(run.rate)}` : progress;
}

export function perSecond(rate: number): string {
  if (rate >= 10) return `${whole(Math.round(rate))} a second`;
  return rate >= 1 ? `${rate.toFixed(1)} a second` : `${(60 * rate).toFixed(1)} a minute`;
}
