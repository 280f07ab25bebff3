// The core in WebAssembly, with types. It runs in a worker; objects are freed by `free`.
import createModule, { type Module, type RawGame } from "selfmate-core";

import { netConfig, readMoveScorer } from "./card";
import { checked } from "./checked";
import { TabLearner } from "./learner";
import { readTensors } from "./safetensors";

export interface Outcome {
  result: "1-0" | "0-1" | "1/2-1/2";
  reason: string; // as in selfmate.Outcome
}

/** A game. Moves are UCI texts; a wrong one throws an Error with a sentence. */
export interface Game {
  fen(): string;
  turn(): "white" | "black";
  ply(): number;
  legalMoves(): string[];
  push(uci: string): void;
  pop(): void;
  san(uci: string): string; // before the move is pushed
  isCheck(): boolean;
  outcome(): Outcome | null;
  free(): void;
}

/** Names and defaults of `selfmate train reinforce`. */
export type LearnerSettings = {
  seed: number;
  encoding: "onehot768" | "turned768" | "counts";
  hidden: number[]; // neurons of each hidden layer
  learning_rate: number;
  max_plies: number;
  temperature_train: number;
  temperature_play: number;
  baseline: "none" | "moving_average" | "value_head";
  value_weight: number;
  entropy_bonus: number;
  replay_iterations: number;
  plays_mate_in_one: boolean;
  vs_random: number; // fraction of the games in which one side moves at random
  updates: number; // per iteration
  games_per_iteration: number;
};

export interface MoveProbability {
  uci: string;
  probability: number;
}

/** Names and meanings are those of the metrics of `selfmate train reinforce`. */
export interface IterationMetrics {
  games: number;
  white_wins: number; // fractions of the games
  black_wins: number;
  draws: number;
  truncated_games: number;
  plies: number; // chosen by the net, per game
  loss: number;
  value_loss: number;
  gradient_norm: number;
  entropy: number;
  ln_legal: number;
  kl: number;
  baseline: number;
}

export interface Progress {
  part: "self-play" | "learning";
  games: number; // that have ended
  plies: number; // that were played
  done: boolean;
  metrics?: IterationMetrics; // when done
}

export interface SampleGame {
  moves: string[];
  whiteIsRandom: boolean;
  blackIsRandom: boolean;
  result: string; // "*" if it was truncated
}

export interface Evaluation {
  games: number;
  won: number;
  drawn: number;
  lost: number;
  score: number; // points per game
}

/** A checkpoint: the net's configuration, its weights, and what a learner needs to go on. */
export interface SavedLearner {
  card: string; // JSON
  weights: Uint8Array<ArrayBuffer>; // safetensors
  state: Uint8Array<ArrayBuffer>; // safetensors
}

/** REINFORCE in slices of time, so that a worker can answer messages between them. */
export interface Learner {
  readonly settings: LearnerSettings;
  change(settings: Partial<LearnerSettings>): void; // what does not change the net's shape
  beginIteration(games: number): void; // in place of one that is not complete
  advance(milliseconds: number): Progress; // self-play, then learning
  sample(): SampleGame; // of the last iteration
  evaluate(games: number, seed: number, milliseconds: number): Evaluation | null; // null until done
  policy(game: Game): MoveProbability[]; // at temperature_play
  choose(game: Game): string; // at temperature_play; plays mates and avoids draws
  save(): SavedLearner;
  restore(state: Uint8Array): void; // weights, too
  free(): void;
}

export interface Analysis {
  done: boolean;
  best: string;
  value: number | null; // expected result of the side to move, -1 to 1; null: the net has no values
  // Probabilities are those of the search, or of the net alone; visits are 0 without a search.
  moves: { uci: string; probability: number; visits: number }[];
}

/** A net that plays: by a tree search if it has values and simulations are asked for. */
export interface NetPlayer {
  readonly name: string; // the kind of net
  analyse(game: Game, simulations: number, milliseconds: number): Analysis; // call until done
  free(): void;
}

export interface Core {
  perft(fen: string, depth: number): number;
  game(fen?: string): Game; // the start position unless a FEN is given
  learner(settings: LearnerSettings): Learner; // a fresh net from settings.seed
  learnerFrom(card: string, weights: Uint8Array): Learner; // with the usual settings
  player(card: string, weights: Uint8Array): NetPlayer; // an se_resnet, transformer or move_scorer
  memoryBytes(): number; // in use
  heapBytes(): number; // reserved
}

export const START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

// Modules of one function each: a SIMD instruction, and a `try`.
const PROBES = [
  [1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
  [1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 6, 64, 25, 11, 11],
].map((body) => new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, ...body]));

/** Makes the core from the bytes of core.wasm. */
export async function loadCore(wasm: BufferSource): Promise<Core> {
  if (typeof WebAssembly !== "object" || !PROBES.every((probe) => WebAssembly.validate(probe)))
    throw new Error(
      "This browser has no WebAssembly with SIMD and exceptions, which Selfmate needs: " +
        "use Chrome 95, Firefox 100, Safari 16.4 or newer.",
    );
  const module = await createModule({ wasmBinary: wasm, locateFile: (name) => name });
  return new TabCore(module);
}

class TabCore implements Core {
  constructor(private readonly module: Module) {}

  perft(fen: string, depth: number): number {
    return checked(this.module, () => this.module.perft(fen, depth));
  }

  game(fen: string = START_FEN): Game {
    return new TabGame(
      this.module,
      checked(this.module, () => new this.module.Game(fen)),
    );
  }

  learner(settings: LearnerSettings): Learner {
    return new TabLearner(this.module, settings);
  }

  learnerFrom(card: string, weights: Uint8Array): Learner {
    const learner = new TabLearner(this.module, readMoveScorer(card));
    try {
      learner.load(weights);
    } catch (problem) {
      learner.free();
      throw problem;
    }
    return learner;
  }

  player(card: string, weights: Uint8Array): NetPlayer {
    const { module } = this;
    const config = netConfig(card);
    const { arrays } = readTensors(weights);
    const raw = checked(module, () => new module.Player(config, arrays));
    return {
      name: config.kind,
      analyse: (game, simulations, milliseconds) =>
        checked(module, () => raw.analyse((game as TabGame).raw, simulations, milliseconds)),
      free: () => raw.delete(),
    };
  }

  memoryBytes(): number {
    return this.module.usedBytes();
  }

  heapBytes(): number {
    return this.module.HEAP8.length;
  }
}

/** What Core.game returns. */
export class TabGame implements Game {
  constructor(
    private readonly module: Module,
    readonly raw: RawGame,
  ) {}

  fen = () => this.raw.fen();
  turn = () => (this.raw.isWhiteToMove() ? "white" : "black");
  ply = () => this.raw.ply();
  legalMoves = () => this.raw.legalMoves();
  push = (uci: string) => checked(this.module, () => this.raw.push(uci));
  pop = () => checked(this.module, () => this.raw.pop());
  san = (uci: string) => checked(this.module, () => this.raw.san(uci));
  isCheck = () => this.raw.isCheck();
  outcome = () => this.raw.outcome();
  free = () => this.raw.delete();
}
