// What the server tells of the ladder.

export type Rated = {
  name: string;
  trained: boolean;
  elo: number;
  low: number | null;
  high: number | null;
  games: number;
};

export type LadderData = {
  players: Rated[];
  on_stockfish_scale: Rated[] | null;
  /** What is being played, null when nothing is. */
  rating: { player?: string; opponent?: string; games?: number; done?: number } | null;
  problem: string | null;
  error?: string;
};

export type LearningRow = {
  name: string;
  learner: string;
  /** Of each opponent: seconds of training, and scores. */
  scores: Record<string, [number[], number[]]>;
};
