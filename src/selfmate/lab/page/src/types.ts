// Generated from the server's types by `make docs`. Do not edit.

export type Best = {
  step: number;
  score: number;
};

export type BestMove = {
  move: string;
  san: string;
  line: string[];
  judgement: string | null;
};

export type BoardPosition = {
  fen: string;
  check: boolean;
  move: [string, string] | null;
};

export type ClockData = {
  left_seconds: SecondsLeft;
  running: "white" | "black" | null;
  minutes: number;
  increment_seconds: number;
};

export type ClockSetting = {
  minutes: number;
  increment_seconds?: number;
  left_seconds?: [number, number] | null;
};

export type ConsideredMove = {
  move: string;
  san: string;
  share: number | null;
  score: string | null;
  visits: number | null;
};

export type CrossCell = {
  match: string | null;
  points: number;
  games: number;
};

export type CurvesData = {
  x: number[];
  seconds: number[];
  metrics: Record<string, (number | null)[]>;
};

export type DatasetRow = {
  name: string;
  kind: "games" | "teacher";
  state: "running" | "ready" | "failed" | "unfinished";
  problem: string | null;
  path: string;
};

export type DatasetsData = {
  files: string[];
  datasets: DatasetRow[];
};

export type EndData = {
  score: string;
  winner: "white" | "black" | null;
  reason: string;
  words: string;
};

export type EndgameData = {
  name: string;
  learner: string;
  state: string;
  step: number | null;
  size: number | null;
  evaluation: MiniEvaluation | null;
  curves: MiniCurves;
};

export type EndgameFacts = {
  size: number;
  states: number;
  starts: number;
  random_mate_probability: number;
  random_mean_moves: number;
  best_mate_probability: number;
  optimal_mean_moves: number;
  worst_case_moves: number;
  optimal_value: number;
  value_error: number;
  gamma: number;
  draw_reward: number;
};

export type EnemySquare = {
  square: string;
  exact: number;
  expected_moves: number;
  learned: number | null;
};

export type GameData = {
  destinations: Record<string, string[]>;
  promotions: string[];
  legal: Record<string, string>;
  start: StartPosition;
  turn: "white" | "black";
  moves: Ply[];
  id: string;
  version: number;
  person: "white" | "black" | null;
  names: SideNames;
  thinking: boolean;
  problem: string | null;
  end: EndData | null;
  clock: ClockData | null;
  opening: string | null;
  draw_declined: boolean;
  pgn: string;
};

export type GameHint = {
  by: string;
  move: string;
  san: string;
  judgement: string | null;
  plies: number;
};

export type GameRecord = {
  number: number;
  result: string;
  points: number;
  reason: string;
  forfeit: boolean;
  plies: number;
  opening_plies: number;
  positions: BoardPosition[];
  moves: string[];
  sans: string[];
};

export type GameRow = {
  number: number;
  result: string;
  points: number;
  reason: string;
  forfeit: boolean;
  plies: number;
};

export type Judgement = {
  points: number | null;
  pawns: number | null;
  mate_in: number | null;
  wdl: [number, number, number] | null;
};

export type LadderData = {
  players: RatedPlayer[];
  scale: string;
  left_out: string | null;
  rating: RatingProgress | null;
  problem: string | null;
};

export type LearnedChoice = {
  step: number;
  best: string;
  regret: number;
  is_optimal: boolean;
};

export type LearnerForm = {
  name: string;
  summary: string;
  unit: string;
  command: string;
  here: boolean;
  presets: PresetForm[];
  settings: SettingForm[];
  main_settings: string[];
  iteration: string;
  plots: string[];
  key_metrics: string[];
  nets: NetForm[];
};

export type LearningRow = {
  name: string;
  learner: string;
  scores: Record<string, [number[], number[]]>;
};

export type LiveGame = {
  fen: string;
  check: boolean;
  move: [string, string] | null;
  number: number;
  plies: number;
};

export type MatchData = {
  id: string;
  players: [string, string];
  seed: number;
  max_plies: number;
  state: "running" | "starting" | "finished" | "failed" | "stopped";
  problem: string | null;
  damage: string | null;
  done: number;
  total: number;
  report: MatchReport;
  history: ScoreCurve;
  newest: GameRow[];
  playing: LiveGame | null;
};

export type MatchId = {
  id: string;
};

export type MatchReport = {
  wins: number;
  draws: number;
  losses: number;
  ply_limit_games: number;
  score: number;
  elo: number | null;
  elo_low: number | null;
  elo_high: number | null;
  los: number;
  pentanomial: [number, number, number, number, number];
  games: number;
  distinct_games: number;
  mean_plies: number;
  ends: Record<string, number>;
  forfeits: number;
  forfeit_reasons: Record<string, number>;
  illegal_moves: number;
  sprt: SprtReport | null;
};

export type MatchRow = {
  id: string;
  players: [string, string];
  state: "running" | "starting" | "finished" | "failed" | "stopped";
  done: number;
  total: number;
  wins: number;
  draws: number;
  losses: number;
  updated: string;
  damage: string | null;
};

export type Metric = {
  name: string;
  title: string;
  meaning: string;
  unit: string;
  better: "higher" | "lower" | null;
  group: MetricGroup | null;
};

export type MetricGroup = {
  title: string;
  meaning: string;
  by_time: boolean;
};

export type MiniCurves = {
  episodes: (number | null)[];
  mate_percent: (number | null)[];
  mean_moves: (number | null)[];
  optimal_move_percent: (number | null)[];
};

export type MiniEvaluation = {
  mate_percent: number | null;
  draw_percent: number | null;
  never_ending_percent: number | null;
  mean_moves: number | null;
  optimal_move_percent: number | null;
  regret: number | null;
};

export type MiniMove = {
  name: string;
  from: string;
  to: string;
  exact: number;
  learned: number | null;
  is_best: boolean;
  ending: "mate" | "stalemate" | null;
  expected_moves: number | null;
};

export type MiniPosition = {
  fen: string;
  pieces: PieceSquares;
  state: number;
  value: number;
  expected_moves: number;
  forced_in: number;
  best: string;
  moves: MiniMove[];
  learned: LearnedChoice | null;
  enemy_squares: EnemySquare[];
};

export type MoveAnalysis = {
  san: string;
  line: string[];
  wdl: [number, number, number] | null;
  value: number | null;
  judgement: string | null;
  considered: ConsideredMove[];
};

export type MoveName = {
  uci: string;
  san: string;
};

export type NetForm = {
  name: string;
  shape: Record<string, boolean | number | string | (number | string)[]>;
};

export type NewCollection = {
  name: string;
  games?: number;
  depth?: number;
};

export type NewGame = {
  player: string;
  side?: "white" | "black" | "random" | "watch";
  opponent?: string | null;
  fen?: string | null;
  moves?: string[];
  ended?: "resignation" | "agreement" | null;
  clock?: ClockSetting | null;
};

export type NewImport = {
  name: string;
  files: string[];
  least_elo?: number;
  max_games?: number | null;
};

export type NewMatch = {
  a: string;
  b: string;
  games: number;
  seed?: number | null;
  sprt?: string | null;
  max_plies?: number;
};

export type NewRating = {
  player: string;
  games?: number;
};

export type NewTournament = {
  players: string[];
  games?: number;
  max_plies?: number;
};

export type NewTraining = {
  learner: string;
  preset?: string;
  settings?: Record<string, string>;
  name?: string;
  pause_after?: number | null;
  load?: string | null;
};

export type NoteData = {
  step: number;
  text: string;
  alarm: boolean;
};

export type Offer = {
  title: string;
  about: string;
  strengths: Strength[];
  ships: boolean;
  trained: boolean;
  scale: string;
  elo_range: [number, number] | null;
};

export type PastedGame = {
  title: string;
  start: string | null;
  moves: string[];
};

export type PastedGames = {
  games: PastedGame[];
  left_out: string[];
};

export type PieceSquares = {
  K: string;
  Q: string;
  k: string;
};

export type Placement = {
  fen: string;
  pieces: PieceSquares;
};

export type PlayedMove = {
  played: string;
  reply: string | null;
  ending: "mate" | "stalemate" | null;
  after: Placement;
  position: MiniPosition | null;
};

export type PlayerAnswer = {
  player: string;
  solves: boolean;
  moves: string[];
};

export type Ply = {
  side: "white" | "black";
  move: string;
  san: string;
  fen: string;
  check: boolean;
  analysis: MoveAnalysis | null;
};

export type PositionAnalysis = {
  name: string;
  best: MoveName;
  line: string[];
  mover: Judgement;
  white: Judgement;
  depth: number | null;
  nodes: number | null;
  legal_mass: number | null;
  moves: RankedMove[];
};

export type PositionData = {
  destinations: Record<string, string[]>;
  promotions: string[];
  legal: Record<string, string>;
  start: string;
  moves: string[];
  sans: string[];
  ply: number;
  fen: string;
  turn: "white" | "black";
  check: boolean;
  ending: string | null;
  opening: string | null;
};

export type PresetForm = {
  name: string;
  about: string;
  values: Record<string, boolean | number | string | (number | string)[]>;
};

export type Problem = {
  problem: string;
};

export type PuzzleData = {
  destinations: Record<string, string[]>;
  promotions: string[];
  legal: Record<string, string>;
  number: number;
  rating: number;
  themes: string[];
  state: "open" | "solved" | "failed";
  solver: "white" | "black";
  turn: "white" | "black";
  fen: string;
  check: boolean;
  last_move: [string, string];
  played: string[];
  start: string;
  solution: string[];
  line: string[];
  answer: string | null;
};

export type PuzzleRow = {
  number: number;
  rating: number;
  themes: string[];
};

export type RankedMove = {
  uci: string;
  san: string;
  probability: number | null;
  visits: number | null;
  white: Judgement | null;
  line: string[];
};

export type RatedPlayer = {
  name: string;
  kind: "rung" | "run" | "shipped" | "other";
  elo: number;
  low: number | null;
  high: number | null;
  games: number;
};

export type RatingProgress = {
  player?: string;
  opponent?: string;
  games?: number;
  done?: number;
  known?: string;
};

export type ReviewData = {
  id: string;
  by: string;
  done: number;
  problem: string | null;
  opening: string | null;
  positions: ReviewedPosition[];
  white: SideSummary;
  black: SideSummary;
};

export type ReviewedPosition = {
  move: string | null;
  san: string | null;
  fen: string;
  check: boolean;
  white_points: number | null;
  best: BestMove | null;
  loss: number | null;
  mark: "blunder" | "mistake" | "inaccuracy" | null;
};

export type RunData = {
  name: string;
  learner: string;
  summary: string;
  state: string;
  problem: string;
  step?: number;
  done?: number;
  total?: number;
  unit?: string;
  rate?: number | null;
  seconds_left?: number | null;
  activity?: string;
  updated?: string;
  message?: string;
  config?: Record<string, boolean | number | string | (number | string)[]>;
  plays?: string | null;
  metrics?: Metric[];
  newest?: Record<string, number>;
  steps?: StepData[];
  curves?: CurvesData;
  notes?: NoteData[];
  best?: Best | null;
  checkpoints?: number[];
};

export type RunName = {
  name: string;
};

export type RunRow = {
  name: string;
  learner: string;
  summary: string;
  state: string;
  problem: string;
  step?: number;
  done?: number;
  total?: number;
  unit?: string;
  rate?: number | null;
  seconds_left?: number | null;
  activity?: string;
  updated?: string;
  message?: string;
};

export type SampleGame = {
  step: number;
  white: string;
  black: string;
  result: string;
  reason: string;
  size: number;
  fens: string[];
  moves: string[];
  squares: string[];
};

export type ScoreCurve = {
  games: number[];
  score: number[];
  low: number[];
  high: number[];
};

export type SecondsLeft = {
  white: number;
  black: number;
};

export type SettingForm = {
  name: string;
  default: boolean | number | string | (number | string)[];
  allowed: string;
  description: string;
  kind: "whole" | "number" | "switch" | "choice" | "text" | "list";
  choices: string[];
};

export type SideNames = {
  white: string;
  black: string;
};

export type SideSummary = {
  moves: number;
  average_loss: number | null;
  inaccuracies: number;
  mistakes: number;
  blunders: number;
};

export type SprtReport = {
  elo0: number;
  elo1: number;
  llr: number;
  lower_bound: number;
  upper_bound: number;
  verdict: string | null;
};

export type Standing = {
  player: string;
  points: number;
  games: number;
  cells: (CrossCell | null)[];
};

export type StartPosition = {
  fen: string;
  check: boolean;
};

export type StepData = {
  done: number;
  metrics: Record<string, number>;
};

export type Strength = {
  name: string;
  title: string;
  elo: number | null;
};

export type TopicError = {
  error: string;
};

export type TournamentData = {
  id: string;
  players: string[];
  state: "running" | "stopped" | "finished" | "failed";
  done: number;
  total: number;
  problem: string | null;
  games: number;
  table: Standing[];
};

export type TournamentId = {
  id: string;
};

export type TournamentRow = {
  id: string;
  players: string[];
  state: "running" | "stopped" | "finished" | "failed";
  done: number;
  total: number;
};

export type TreeData = {
  start: string;
  nodes: TreeNode[];
};

export type TreeNode = {
  parent: number;
  uci: string;
  san: string;
};
