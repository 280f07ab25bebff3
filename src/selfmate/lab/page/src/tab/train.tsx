// The Train view of the tab: the learner's controls, its buttons, and how it is doing.
import { useEffect, useState } from "preact/hooks";
import { count, duration, whole } from "../format";
import { linkTo } from "../place";
import { Problem, useAttempt } from "../problem";
import type { RunData } from "../types";
import "../views/train.css";
import { CurveCharts, StepsTable, Tiles } from "../views/train/metrics";
import { Replay } from "../views/train/replay";
import { perSecond, ProgressBar, State } from "../views/train/run_list";
import { About } from "./about";
import { CarryOn } from "./carry_on";
import { ask, useUpdate } from "./client";
import { Controls } from "./controls";
import facts from "./facts.json";
import { LEARNED, type Requests, type TabSettings, type TrainingData, type Verb } from "./protocol";
import { useStarted } from "./started";

/** In the tiles; losses are rare, and no curve. */
const TILES = { ...facts, key_metrics: ["score_random", "lost_random", ...facts.key_metrics] };

export function Train() {
  const training = useUpdate("training")?.training;
  const sample = useUpdate("sample")?.sample ?? null;
  const { settings, change } = useSettings();
  if (training === undefined) return <p class="quiet">Loading your net ...</p>;
  const { run } = training;
  const hasBegun = (run.curves?.x.length ?? 0) > 0;
  return (
    <div class="train tab-train">
      <section class="card head" aria-label="Training">
        <h1>
          Selfmate in a tab <State state={run.state} />
        </h1>
        {!hasBegun && <Welcome games={settings.games_per_train} />}
        <Buttons training={training} settings={settings} />
        <Controls settings={settings} net={training.net} onChange={change} />
      </section>
      <div class="show">
        <Replay sample={sample} analysable={false} />
        <div class="beside">
          {hasBegun ? (
            <Tiles run={run} learner={TILES} />
          ) : (
            <p class="card quiet waiting">
              How the games ended, the score against random moves and more come here with the first
              games.
            </p>
          )}
          <About memory={training.memory} />
        </div>
      </div>
      {hasBegun && <CurveCharts run={run} learner={facts} />}
      {hasBegun && <StepsTable run={run} learner={facts} />}
      <CarryOn run={run} net={training.net} />
    </div>
  );
}

function Welcome({ games }: { games: number }) {
  return (
    <p>
      A net that knows nothing but the rules of chess waits in this tab. Press <b>Train</b>: it
      plays {count(games, "games")} against itself, and moves of winners become likelier
      (REINFORCE). Press it again and again, watch the curves, then{" "}
      <a href={linkTo("play", { player: LEARNED })}>play</a> against what it has learned. Nothing
      leaves this tab, and it needs no server.
    </p>
  );
}

/** Settings are shown at once and sent to the worker, which may change them, too. */
function useSettings() {
  const started = useStarted();
  const loaded = useUpdate("settings");
  const [settings, setSettings] = useState<TabSettings>(loaded?.settings ?? started.settings);
  useEffect(() => {
    if (loaded !== null) setSettings(loaded.settings);
  }, [loaded]);
  const change = (part: Partial<TabSettings>) => {
    const next = { ...settings, ...part };
    setSettings(next);
    void ask("settings", { settings: next });
  };
  return { settings, change };
}

const MEASURED_GAMES = 200;

function Buttons({ training, settings }: { training: TrainingData; settings: TabSettings }) {
  const { problem, attempt } = useAttempt();
  const { run, left } = training;
  const isRunning = run.state === "running";
  const isBusy = isRunning || !!run.activity;
  const hasLearned = (run.done ?? 0) > 0;
  const act = <V extends Verb>(verb: V, body: Requests[V][0] = {}) =>
    void attempt(() => ask(verb, body));
  const reset = () => {
    const sure =
      "Forget this net and its curves, and begin with a new one? Download its weights first to keep them.";
    if (!hasLearned || confirm(sure)) act("reset");
  };
  return (
    <>
      <div class="line buttons">
        <button
          class="main"
          disabled={isRunning}
          onClick={() => act("train", { games: settings.games_per_train })}
        >
          Train {count(settings.games_per_train, "games")}
        </button>
        <button disabled={isRunning} onClick={() => act("train", { games: null })}>
          Train until paused
        </button>
        {isBusy && <button onClick={() => act("pause")}>Pause</button>}
        {run.state === "paused" && (
          <button onClick={() => act("resume")}>
            Resume{left === null ? "" : ` (${count(left, "games")} left)`}
          </button>
        )}
        <button disabled={isBusy} onClick={() => act("measure", { games: MEASURED_GAMES })}>
          Measure against random
        </button>
        <a class="button play" href={linkTo("play", { player: LEARNED })}>
          Play against it
        </a>
        <button class="reset" disabled={isRunning} onClick={reset}>
          Reset
        </button>
      </div>
      <ProgressBar run={{ ...run, ...(left === null && { total: 0, done: 0 }) }} />
      <p class="facts" role="status">
        {factsOf(run).join(" · ")}
      </p>
      <Problem text={problem ?? training.problem} />
    </>
  );
}

function factsOf(run: RunData): string[] {
  const done = run.done ?? 0;
  const found = [done === 0 ? "not trained yet" : `${whole(done)} games played`];
  if (run.activity) found.push(run.activity);
  if (run.rate) found.push(`${perSecond(run.rate)}`);
  const seconds = run.curves?.seconds.at(-1);
  if (seconds) found.push(`trained for ${duration(seconds)}`);
  return found;
}
