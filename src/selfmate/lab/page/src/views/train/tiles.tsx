// The figures that matter most, as they stand.
import { wordsOf } from "./figures";
import { figure, percent, whole } from "../../numbers";
import type { Learner, Run } from "./types";

const RESULTS = ["white_wins", "draws", "cut_games", "black_wins"];

export function Tiles({ run, learner }: { run: Run; learner: Learner | undefined }) {
  const newest = run.newest ?? {};
  const names = Object.keys(newest);
  const every = run.config?.["evaluate_every"];
  const hasResults = RESULTS.every((name) => name in newest);
  const told = (learner?.headlines.length ? learner.headlines : strengthFirst(names)).filter(
    (name) => name in newest && !(hasResults && RESULTS.includes(name)),
  );
  if ("plies" in newest && !told.includes("plies")) told.push("plies");
  return (
    <div class="tiles">
      {hasResults && <Results run={run} newest={newest} />}
      {told.slice(0, 12).map((name) => (
        <Tile key={name} name={name} value={newest[name]!} />
      ))}
      {every !== undefined && !names.some(isStrength) && (
        <div class="tile">
          <span>Strength</span>
          <small>measured every {String(every)} steps, in test games</small>
        </div>
      )}
    </div>
  );
}

function isStrength(name: string): boolean {
  return /^(score|exact)_/.test(name);
}

function strengthFirst(names: string[]): string[] {
  return [...names.filter(isStrength), ...names.filter((name) => !isStrength(name))];
}

function Tile({ name, value }: { name: string; value: number }) {
  const { title, meaning, share } = wordsOf(name);
  return (
    <div class="tile" title={meaning}>
      <span>{title}</span>
      <b>{share ? percent(value) : figure(value)}</b>
      <small>{meaning}</small>
    </div>
  );
}

/** How the games of the newest step ended. */
function Results({ run, newest }: { run: Run; newest: Record<string, number> }) {
  const [last, before] = [run.steps?.at(-1)?.done ?? 0, run.steps?.at(-2)?.done ?? 0];
  const names = { white_wins: "White", draws: "drawn", cut_games: "cut", black_wins: "Black" };
  const parts = RESULTS.map((name) => ({
    name,
    share: newest[name]!,
    title: names[name as keyof typeof names],
  }));
  return (
    <div class="tile results">
      <span>How its last {whole(last - before)} games ended</span>
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
