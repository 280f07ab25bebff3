// The runs there are: how far each one is, and the way to it.
import { useTopic } from "../news";

export type RunRow = {
  name: string;
  learner: string;
  summary: string;
  state: string;
  done: number;
  total: number;
  unit: string;
  rate: number | null;
  seconds_left: number | null;
  updated: string;
  message: string;
};

export function Runs() {
  const runs = useTopic<RunRow[]>("runs");
  if (runs === null) return <p class="quiet">Looking for runs ...</p>;
  if (runs.length === 0) return <p class="quiet">No runs yet. Train something!</p>;
  return (
    <ul class="rows">
      {runs.map((run) => (
        <li key={run.name}>
          <b>{run.name}</b> <span class={`state ${run.state}`}>{run.state}</span>
          <span class="quiet">
            {run.done} of {run.total} {run.unit}
          </span>
        </li>
      ))}
    </ul>
  );
}
