// The newest steps, a line each: what a press on Train came to.
import { wordsOf } from "./figures";
import { figure, percent, whole } from "../../numbers";
import type { Learner, Run } from "./types";

const MOST_COLUMNS = 7;
const FIRST = ["white_wins", "draws", "cut_games", "black_wins", "plies"];

export function StepsTable({ run, learner }: { run: Run; learner: Learner | undefined }) {
  const steps = [...(run.steps ?? [])].reverse();
  const newest = steps[0];
  if (newest === undefined) return null;
  const wanted = [...FIRST, ...(learner?.headlines ?? []), ...Object.keys(newest.figures)];
  const names = [...new Set(wanted)].filter((name) => name in newest.figures);
  const columns = names.slice(0, MOST_COLUMNS);
  return (
    <section class="card steps">
      <h2>Last steps</h2>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{run.unit}</th>
              {columns.map((name) => (
                <th key={name} scope="col" title={wordsOf(name).meaning}>
                  {wordsOf(name).title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {steps.map((step) => (
              <tr key={step.done}>
                <td>{whole(step.done)}</td>
                {columns.map((name) => (
                  <td key={name}>{cell(name, step.figures)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function cell(name: string, figures: Record<string, number>): string {
  const value = figures[name];
  if (value === undefined) return "";
  return wordsOf(name, figures).share ? percent(value) : figure(value);
}
