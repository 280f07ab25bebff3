// What the server tells of matches.

export type Report = {
  wins: number;
  draws: number;
  losses: number;
  ply_limit_games: number;
  score: number;
  elo: number | null;
  elo_low: number | null;
  elo_high: number | null;
  los: number;
  pentanomial: number[];
  games: number;
  distinct_games: number;
  mean_plies: number;
  ends: Record<string, number>;
  forfeits: number;
  sprt: { verdict: string | null; elo0: number; elo1: number } | null;
};

export type GameRow = {
  number: number;
  result: string;
  points: number;
  reason: string;
  forfeit: boolean;
  plies: number;
};

export type Position = { fen: string; check: boolean; move: [string, string] | null };
export type GameRecord = GameRow & { opening_plies: number; positions: Position[]; sans: string[]; moves: string[] };

export type MatchRow = {
  id: string;
  players: [string, string];
  state: string;
  done: number;
  total: number;
  wins: number;
  draws: number;
  losses: number;
  updated: string;
};

export type MatchData = {
  id: string;
  players: [string, string];
  seed: number;
  max_plies: number;
  state: string;
  problem: string | null;
  done: number;
  total: number;
  report: Report;
  history: { games: number[]; score: number[]; low: number[]; high: number[] };
  newest: GameRow[];
  playing: (Position & { number: number; plies: number }) | null;
  error?: string;
};
