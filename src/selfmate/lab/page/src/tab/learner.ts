// REINFORCE of the core, with its checkpoints.
import type { Module, RawLearner } from "selfmate-core";

import { moveScorerCard } from "./card";
import { checked } from "./checked";
import type { Game, Learner, LearnerSettings, SavedLearner, TabGame } from "./core";
import { readTensors, writeTensors } from "./safetensors";

const NOT_A_STATE = "This is not the state of a learner.";

export class TabLearner implements Learner {
  private readonly raw: RawLearner;
  private current: LearnerSettings;

  constructor(
    private readonly module: Module,
    settings: LearnerSettings,
  ) {
    this.current = { ...settings };
    this.raw = checked(module, () => new module.Learner(this.current));
  }

  get settings(): LearnerSettings {
    return this.current;
  }

  change(settings: Partial<LearnerSettings>): void {
    const changed = { ...this.current, ...settings };
    this.call((raw) => raw.change(changed));
    this.current = changed;
  }

  beginIteration = (games: number) => this.call((raw) => raw.beginIteration(games));
  advance = (milliseconds: number) => this.call((raw) => raw.advance(milliseconds));
  sample = () => this.raw.sample();
  evaluate = (games: number, seed: number, milliseconds: number) =>
    this.call((raw) => raw.evaluate(games, seed, milliseconds));
  policy = (game: Game) => this.call((raw) => raw.policy((game as TabGame).raw));
  choose = (game: Game) => this.call((raw) => raw.choose((game as TabGame).raw));
  free = () => this.raw.delete();

  /** Takes over the weights of a net of the same shape, as if learning began with them. */
  load(weights: Uint8Array): void {
    const { arrays } = readTensors(weights);
    this.call((raw) => raw.load(arrays));
  }

  save(): SavedLearner {
    const counters = JSON.stringify(this.raw.counters());
    const metadata = { counters, settings: JSON.stringify(this.current) };
    return {
      card: moveScorerCard(this.current),
      weights: writeTensors({ arrays: this.call((raw) => raw.weights()), metadata: {} }),
      state: writeTensors({ arrays: this.call((raw) => raw.state()), metadata }),
    };
  }

  restore(state: Uint8Array): void {
    const { arrays, metadata } = readTensors(state);
    const { counters = "", settings = "" } = metadata;
    const read = { counters: readJson(counters), settings: readJson(settings) };
    this.change(read.settings as Partial<LearnerSettings>);
    this.call((raw) => raw.restore(arrays, read.counters as Record<string, number>));
  }

  private call<Result>(work: (raw: RawLearner) => Result): Result {
    return checked(this.module, () => work(this.raw));
  }
}

function readJson(text: string): object {
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === "object" && read !== null) return read;
  } catch {
    // said below
  }
  throw new Error(NOT_A_STATE);
}
