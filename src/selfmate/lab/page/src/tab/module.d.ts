// What core/wasm exports. The bundler finds `selfmate-core` in build/wasm/core.js.
declare module "selfmate-core" {
  export interface RawGame {
    fen(): string;
    isWhiteToMove(): boolean;
    ply(): number;
    legalMoves(): string[];
    push(uci: string): void;
    pop(): void;
    san(uci: string): string;
    isCheck(): boolean;
    outcome(): { result: "1-0" | "0-1" | "1/2-1/2"; reason: string } | null;
    delete(): void;
  }

  interface NamedNumbers {
    name: string;
    shape: number[];
    numbers: Float32Array;
  }

  export interface RawLearner {
    change(settings: object): void;
    beginIteration(games: number): void;
    advance(milliseconds: number): import("./core").Progress;
    sample(): import("./core").SampleGame;
    evaluate(games: number, seed: number, milliseconds: number): import("./core").Evaluation | null;
    policy(game: RawGame): import("./core").MoveProbability[];
    choose(game: RawGame): string;
    weights(): NamedNumbers[];
    state(): NamedNumbers[];
    counters(): Record<string, number>;
    load(weights: NamedNumbers[]): void;
    restore(state: NamedNumbers[], counters: Record<string, number>): void;
    delete(): void;
  }

  interface RawPlayer {
    analyse(game: RawGame, simulations: number, milliseconds: number): import("./core").Analysis;
    delete(): void;
  }

  export interface Module {
    HEAP8: Int8Array;
    perft(fen: string, depth: number): number;
    lastError(): string; // why the last call that may fail did, or nothing
    usedBytes(): number;
    Game: new (fen: string) => RawGame;
    Player: new (config: object, weights: NamedNumbers[]) => RawPlayer;
    Learner: new (settings: object) => RawLearner;
  }

  export default function createModule(options: {
    wasmBinary: BufferSource;
    locateFile: (name: string) => string;
  }): Promise<Module>;
}
