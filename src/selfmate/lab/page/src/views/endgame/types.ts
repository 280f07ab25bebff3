// What the server says about the mini-chess.

export type Move = {
  name: string; // Qb3
  from: string;
  to: string;
  exact: number;
  learned: number | null;
  is_best: boolean;
  ending: "mate" | "stalemate" | null;
  expected_moves: number | null;
};

export type EnemySquare = {
  square: string;
  exact: number;
  expected_moves: number;
  learned: number | null;
};

export type Pieces = { fen: string; pieces: { K: string; Q: string; k: string } };

export type Position = Pieces & {
  state: number;
  value: number;
  expected_moves: number;
  forced_in: number;
  best: string;
  moves: Move[];
  learned: { step: number; best: string; regret: number; is_optimal: boolean } | null;
  enemy_squares: EnemySquare[];
};

export type Played = {
  played: string;
  reply: string | null;
  ending: "mate" | "stalemate" | null;
  after: Pieces;
  position: Position | null;
};

export type Facts = {
  states: number;
  starts: number;
  random_mate_probability: number;
  random_mean_moves: number;
  best_mate_probability: number;
  optimal_mean_moves: number;
  worst_case_moves: number;
  gamma: number;
  draw_reward: number;
};

export type Evaluation = {
  mate_percent: number;
  draw_percent: number;
  never_ending_percent: number;
  mean_moves: number | null;
  optimal_move_percent: number;
  regret: number;
};

/** The topic `endgame:RUN`; of a run that cannot be shown, only why. */
export type RunNews = {
  error?: string;
  name: string;
  learner: string;
  state: string;
  step: number | null;
  size: number | null;
  evaluation: Evaluation | null;
  curves: Record<"episodes" | "mate_percent" | "mean_moves" | "optimal_move_percent", (number | null)[]>;
};

export type Whose = "exact" | "learned";
export type Shown = "all" | "K" | "Q" | "enemy";
