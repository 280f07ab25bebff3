// The learner of the tab: it trains in slices, is measured against `random`, stored and restored.
import type { RunData, SampleGame } from "../types";
import { findCheckpoint, runFolder } from "./checkpoint";
import type { Core, IterationMetrics, Learner } from "./core";
import facts from "./facts.json";
import { History, type HistoryRow } from "./history";
import type { NamedFile, NetSettings, TabSettings, TrainingData } from "./protocol";
import { sampleGame } from "./sample";
import { merged, needsOtherNet, netSettings, usableWith } from "./settings";
import type { Storage } from "./storage";
import { zipped } from "./zip";

const EVALUATE_EVERY = 10; // iterations
const EVALUATION_GAMES = 40;
const STORE_MS = 5000;
const RATE_MEMORY_S = 10; // how long the pace remembers

type Stored = {
  card: string;
  weights: Uint8Array;
  state: Uint8Array;
  net: NetSettings;
  rows: HistoryRow[];
  left: number | null;
  sample: SampleGame | null;
};

type State = "new" | "running" | "paused" | "finished" | "failed";
type Tell = { training: () => void; sample: (sample: SampleGame | null) => void };

export class Training {
  private history = new History();
  private state: State = "new";
  private left: number | null = 0;
  private problem: string | null = null;
  private sample: SampleGame | null = null;
  private activity = "";
  private isIterating = false;
  private games = 0; // of this iteration, so far
  private evaluating: number | null = null; // games
  private isMeasuring = false; // because somebody asked for it
  private evaluations = 0;
  private iterationSeconds = 0;
  private pace = { games: 0, seconds: 0 };
  private storedAt = 0;

  private constructor(
    private readonly core: Core,
    private readonly storage: Storage,
    private readonly tell: Tell,
    public settings: TabSettings,
    public learner: Learner,
    private net: NetSettings,
  ) {}

  /** As it was stored, or with a new net. */
  static async open(
    core: Core,
    storage: Storage,
    tell: Tell,
    settings: TabSettings,
  ): Promise<Training> {
    const stored = await storage.read<Stored>("learner");
    const fresh = () =>
      new Training(core, storage, tell, settings, newLearner(core, settings), settings);
    if (stored === null) return fresh();
    try {
      const learner = core.learnerFrom(stored.card, stored.weights);
      const training = new Training(core, storage, tell, settings, learner, stored.net);
      learner.restore(stored.state);
      learner.change(usableWith(stored.net, settings));
      training.history = new History(stored.rows);
      training.left = stored.left;
      training.state = stored.left !== 0 ? "paused" : stored.rows.length === 0 ? "new" : "finished";
      training.sample = stored.sample;
      return training;
    } catch (error) {
      const training = fresh();
      training.problem = `What was stored here cannot be used, so there is a new net: ${sentence(error)}`;
      return training;
    }
  }

  get isBusy(): boolean {
    return this.state === "running" || this.isMeasuring;
  }

  get gamesDone(): number {
    return this.history.done;
  }

  /** The net is measured before the first game, too: the curve begins there. */
  train(games: number | null): void {
    this.left = games;
    if (this.history.rows.length === 0) this.evaluating ??= EVALUATION_GAMES;
    this.resume();
  }

  /** Against `random`; a training goes on afterwards. */
  measure(games: number): void {
    this.evaluating ??= games;
    this.isMeasuring = true;
    this.problem = null;
  }

  resume(): void {
    this.problem = null;
    this.state = "running";
    this.tell.training();
  }

  pause(): void {
    if (this.state === "running") this.state = "paused";
    this.isMeasuring = false;
    this.activity = "";
    this.tell.training();
  }

  /** A net that has not learned anything yet gives way to one that fits. */
  change(settings: TabSettings): void {
    this.settings = settings;
    void this.storage.write("settings", settings);
    if (this.state === "new" && needsOtherNet(this.net, settings)) this.reset();
  }

  /** A new net; what it takes the place of is freed. */
  reset(): void {
    this.replace(newLearner(this.core, this.settings), this.settings, new History());
    this.state = "new";
    this.tell.training();
  }

  /** Continues from a checkpoint; throws a sentence, and then nothing has changed. */
  async load(files: NamedFile[]): Promise<string> {
    const found = await findCheckpoint(files);
    const learner = this.core.learnerFrom(found.player, found.weights);
    const settings = merged(this.settings, { ...found.config, ...netOf(found.player) });
    try {
      learner.change(usableWith(settings, settings));
    } catch (error) {
      learner.free();
      throw error;
    }
    this.change(settings);
    const rows = found.games === 0 ? [] : [{ step: 0, done: found.games, seconds: 0, metrics: {} }];
    this.replace(learner, settings, new History(rows));
    this.state = "finished";
    this.tell.training();
    return found.games === 0
      ? "The net was loaded. It has not been trained yet."
      : `The net was loaded: it was trained on ${found.games.toLocaleString("en")} games before. Its curves begin here.`;
  }

  private replace(learner: Learner, net: NetSettings, history: History): void {
    this.learner.free();
    Object.assign(this, {
      learner,
      net,
      history,
      left: 0,
      problem: null,
      isIterating: false,
      evaluating: null,
    });
    this.isMeasuring = false;
    this.games = 0;
    this.activity = "";
    this.pace = { games: 0, seconds: 0 };
    this.show(null);
    void this.store();
  }

  download(): NamedFile {
    const { games_per_train } = this.settings;
    const settings = { ...usableWith(this.net, this.settings), games_per_train };
    const bytes = zipped(runFolder(this.learner.save(), settings, this.history.rows));
    return { path: "selfmate-tab.zip", bytes };
  }

  /** Works for about so long. */
  step(milliseconds: number): void {
    const since = performance.now();
    try {
      if (this.evaluating !== null) this.evaluate(this.evaluating, milliseconds);
      else this.learn(milliseconds, since);
    } catch (error) {
      this.state = "failed";
      this.isMeasuring = false;
      this.isIterating = false;
      this.problem = sentence(error);
    }
    this.tell.training();
  }

  private learn(milliseconds: number, since: number): void {
    if (!this.isIterating) this.begin();
    const progress = this.learner.advance(milliseconds);
    this.games = progress.games;
    this.activity = progress.part === "learning" ? "learning" : "self-play";
    this.iterationSeconds += (performance.now() - since) / 1000;
    if (progress.done && progress.metrics !== undefined) this.end(progress.metrics);
  }

  private begin(): void {
    const games = Math.min(this.settings.games_per_iteration, this.left ?? Infinity);
    this.learner.change(usableWith(this.net, this.settings));
    this.learner.beginIteration(games);
    this.isIterating = true;
    this.iterationSeconds = 0;
  }

  private end({ games, ...metrics }: IterationMetrics): void {
    this.isIterating = false;
    this.games = 0;
    this.history.add({ ...metrics }, games, this.iterationSeconds);
    if (this.left !== null) this.left = Math.max(0, this.left - games);
    this.keepPace(games);
    this.show(sampleGame(this.core, this.learner, this.history.rows.at(-1)!.step));
    const isOver = this.left === 0;
    if (isOver || this.history.rows.at(-1)!.step % EVALUATE_EVERY === 0)
      this.evaluating = EVALUATION_GAMES;
    else if (performance.now() - this.storedAt > STORE_MS) void this.store();
  }

  private keepPace(games: number): void {
    const kept = Math.exp(-this.iterationSeconds / RATE_MEMORY_S);
    this.pace = {
      games: kept * this.pace.games + games,
      seconds: kept * this.pace.seconds + this.iterationSeconds,
    };
  }

  private evaluate(games: number, milliseconds: number): void {
    this.activity = "playing against random";
    const found = this.learner.evaluate(games, this.evaluations, milliseconds);
    if (found === null) return;
    this.evaluating = null;
    this.evaluations += 1;
    this.history.amend({
      score_random: found.score,
      won_random: found.won,
      drawn_random: found.drawn,
      lost_random: found.lost,
    });
    this.isMeasuring = false;
    this.activity = "";
    if (this.state === "running" && this.left === 0) this.state = "finished";
    void this.store();
  }

  private show(sample: SampleGame | null): void {
    this.sample = sample;
    this.tell.sample(sample);
  }

  /** Between iterations: half an iteration is played again. */
  private async store(): Promise<void> {
    this.storedAt = performance.now();
    const stored: Stored = {
      ...this.learner.save(),
      net: netSettings(this.net),
      rows: this.history.rows,
      left: this.left,
      sample: this.sample,
    };
    await this.storage.write("learner", stored);
  }

  data(): TrainingData {
    return {
      run: this.run(),
      net: netSettings(this.net),
      left: this.left,
      memory: { usedBytes: this.core.memoryBytes(), heapBytes: this.core.heapBytes() },
      problem: this.problem,
    };
  }

  get lastSample(): SampleGame | null {
    return this.sample;
  }

  /** As the lab describes a run. */
  private run(): RunData {
    const newest = this.history.newest();
    const metrics = facts.metrics.filter(({ name }) => name in newest) as RunData["metrics"] &
      object;
    const done = this.history.done + this.games;
    return {
      name: "Your net",
      learner: "reinforce",
      summary: "",
      state: this.state,
      problem: "",
      step: this.history.rows.at(-1)?.step ?? 0,
      done,
      total: this.left === null ? 0 : this.history.done + this.left,
      unit: "games",
      rate: this.pace.seconds > 0 ? this.pace.games / this.pace.seconds : null,
      activity: this.activity,
      config: { evaluate_every: EVALUATE_EVERY },
      metrics,
      newest,
      steps: this.history.lastSteps(),
      curves: this.history.curves(metrics.map(({ name }) => name)),
    };
  }
}

function newLearner(core: Core, { games_per_train: _, ...settings }: TabSettings): Learner {
  return core.learner(settings);
}

/** What the net of a card is made of, as settings. */
function netOf(player: string): Partial<TabSettings> {
  const { encoding, hidden, value_head } = JSON.parse(player) as {
    encoding: TabSettings["encoding"];
    hidden: number[];
    value_head: boolean;
  };
  return { encoding, hidden, ...(value_head && { baseline: "value_head" as const }) };
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
