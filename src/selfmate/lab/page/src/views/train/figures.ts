// What the figures of a run mean, in a phrase each, and which belong into one chart.

type Words = { title: string; meaning: string; share?: boolean };

const WORDS: Record<string, Words> = {
  white_wins: { title: "White wins", meaning: "share of the games", share: true },
  black_wins: { title: "Black wins", meaning: "share of the games", share: true },
  draws: { title: "Drawn", meaning: "share of the games", share: true },
  cut_games: { title: "Cut", meaning: "games that reached the ply limit" },
  plies: { title: "Plies a game", meaning: "moves of both sides, on average" },
  distinct_games: { title: "Different games", meaning: "of those of a step" },
  mates: { title: "Mates", meaning: "games that ended in checkmate" },
  entropy: { title: "Entropy", meaning: "how open the choice is: 0 is always the same move" },
  ln_legal: { title: "All moves alike", meaning: "the most that the entropy could be" },
  kl: { title: "Distance from untrained", meaning: "KL: how far the choice of moves has changed" },
  loss: { title: "Loss", meaning: "what learning makes smaller" },
  policy_loss: { title: "Policy loss", meaning: "how far from the teacher's choice of moves" },
  value_loss: { title: "Value loss", meaning: "how wrong the expected results were" },
  value_mse: { title: "Value error", meaning: "mean square, on games it did not learn from" },
  td_loss: { title: "TD loss", meaning: "how far values are from what came a ply later" },
  td_error: { title: "TD error", meaning: "mean surprise of an update" },
  master_loss: { title: "Loss of masters", meaning: "how far from the moves of masters" },
  imitation_loss: { title: "Imitation loss", meaning: "how far from the teacher's best moves" },
  gradient_norm: { title: "Gradient", meaning: "length of a learning step before it is cut" },
  value_mean: { title: "Mean value", meaning: "of positions: 0 is even" },
  value_spread: { title: "Spread of values", meaning: "how differently positions are valued" },
  temperature: { title: "Temperature", meaning: "above 1 the choice of moves is evened out" },
  baseline: { title: "Baseline", meaning: "the result that is expected" },
  epsilon: { title: "Random moves", meaning: "share of moves made at random", share: true },
  updates: { title: "Updates", meaning: "learning steps so far" },
  replay: { title: "Remembered", meaning: "positions that can be learned from again" },
  score_vs_others: { title: "Against others", meaning: "points in training games", share: true },
  match1: { title: "Expert's move", meaning: "how often it is the first choice", share: true },
  match3: { title: "Among three", meaning: "expert's move in the first three", share: true },
  match5: { title: "Among five", meaning: "expert's move in the first five", share: true },
  legal_mass: { title: "Legal mass", meaning: "probability of all legal moves", share: true },
  top_legal: { title: "First choice legal", meaning: "of all 1,968 moves", share: true },
  target_legal_mass: { title: "Taught mass", meaning: "legal mass of the targets", share: true },
  illegal_attempts: { title: "Illegal attempts", meaning: "before a legal move, a position" },
  puzzles: { title: "Puzzles solved", meaning: "every move of them found", share: true },
  puzzles_to_1000: { title: "Easy puzzles", meaning: "rated below 1000", share: true },
  puzzles_to_1500: { title: "Fair puzzles", meaning: "rated 1000 to 1499", share: true },
  puzzles_to_2000: { title: "Hard puzzles", meaning: "rated 1500 to 1999", share: true },
  puzzles_harder: { title: "Hardest puzzles", meaning: "rated 2000 or more", share: true },
  wins_to_20: { title: "Short wins", meaning: "games won in 20 moves or fewer" },
  wins_to_40: { title: "Longer wins", meaning: "games won in 21 to 40 moves" },
  wins_later: { title: "Longest wins", meaning: "games won in more than 40 moves" },
  converted_queen: { title: "Queen endgames won", meaning: "against best defence", share: true },
  converted_rook: { title: "Rook endgames won", meaning: "against best defence", share: true },
  score_random_unmasked: {
    title: "Unmasked vs random",
    meaning: "an illegal choice loses the game",
    share: true,
  },
  reward: { title: "Reward", meaning: "a game's result: mate is 1" },
  moves: { title: "Moves", meaning: "of a game, on average" },
  mate_percent: { title: "Mates in training, %", meaning: "of games, with random moves in them" },
  exact_mate_percent: { title: "Mates, %", meaning: "from all positions, computed exactly" },
  exact_draw_percent: { title: "Stalemates, %", meaning: "from all positions" },
  exact_never_ending_percent: { title: "Never ending, %", meaning: "games in circles" },
  exact_optimal_move_percent: { title: "Perfect moves, %", meaning: "as good as can be" },
  exact_mean_moves: { title: "Moves to mate", meaning: "from all positions, on average" },
  exact_regret: { title: "Regret", meaning: "what is lost against perfect play: 0 is perfect" },
};

const KINDS = ["opening", "middlegame", "endgame", "check", "castling", "en_passant"];

export type Group = { title: string; meaning: string; figures: string[]; byTime?: boolean };

const GROUPS: Group[] = [
  {
    title: "Exact strength, %",
    meaning: "from every position, against the solved game",
    figures: ["exact_mate_percent", "exact_optimal_move_percent"],
    byTime: true,
  },
  {
    title: "What it knows of the rules, %",
    meaning: "on positions it never learned from, by minutes of training",
    figures: ["legal_mass", "top_legal"],
    byTime: true,
  },
  {
    title: "Illegal attempts",
    meaning: "in a position of its games, before it finds a legal move",
    figures: ["illegal_attempts"],
  },
  {
    title: "First choice legal, %",
    meaning: "by kinds of positions, on those it never learned from",
    figures: KINDS.map((kind) => `top_legal_${kind}`),
  },
  {
    title: "Puzzles solved, %",
    meaning: "by their rating",
    figures: ["puzzles_to_1000", "puzzles_to_1500", "puzzles_to_2000", "puzzles_harder"],
  },
  {
    title: "Won games",
    meaning: "of those it learned from, by how long they took",
    figures: ["wins_to_20", "wins_to_40", "wins_later"],
  },
  {
    title: "Won endgames that it wins, %",
    meaning: "king and queen or rook, against a king that resists as long as it can",
    figures: ["converted_queen", "converted_rook"],
  },
  {
    title: "Results of its games, %",
    meaning: "how the games it learned from ended",
    figures: ["white_wins", "black_wins", "draws", "cut_games"],
  },
  {
    title: "Openness of its choice",
    meaning: "entropy of the policy, and what it would be if all legal moves were alike (nats)",
    figures: ["entropy", "ln_legal"],
  },
  { title: "Mates in training, %", meaning: "random moves among them", figures: ["mate_percent"] },
  {
    title: "Loss",
    meaning: "what learning makes smaller; with play that changes it need not fall",
    figures: ["loss", "master_loss", "td_loss", "imitation_loss", "value_loss"],
  },
  {
    title: "Loss of imitation",
    meaning: "how far from the teacher's choice of moves, and from its values",
    figures: ["policy_loss", "value_loss"],
  },
  {
    title: "Expert's move, %",
    meaning: "how often the teacher's or master's move is its own",
    figures: ["match1", "match3", "match5"],
  },
];

/** `figures` are all there are: games that were cut are a share where wins are, else a number. */
export function wordsOf(name: string, figures: Record<string, unknown> = {}): Words {
  const known = WORDS[name];
  if (known !== undefined)
    return name === "cut_games" ? { ...known, share: "white_wins" in figures } : known;
  const kind = /^(legal_mass|top_legal)_(.+)$/.exec(name);
  if (kind !== null) {
    const where = kind[2]!.replaceAll("_", " ");
    return { title: `${WORDS[kind[1]!]!.title}: ${where}`, meaning: "", share: true };
  }
  const opponent = /^(score|mean_plies|ply_limit_games)_(.+)$/.exec(name);
  if (opponent === null) return { title: name.replaceAll("_", " "), meaning: "" };
  const who = opponent[2]!.replace(/_depth_(\d+)$/, " $1").replaceAll("_", " ");
  if (opponent[1] === "score")
    return { title: `Score vs ${who}`, meaning: "points of test games, 50 % is even", share: true };
  if (opponent[1] === "mean_plies")
    return { title: `Plies vs ${who}`, meaning: "length of test games" };
  return { title: `Cut vs ${who}`, meaning: "test games that reached the ply limit" };
}

/** All figures in charts: first those that tell most, then the rest. */
export function groupsOf(names: string[], told: string[]): { first: Group[]; more: Group[] } {
  const scores = names.filter((name) => /^score_(?!vs_)/.test(name));
  const strength: Group = {
    title: "Strength over time, %",
    meaning: "points against fixed opponents, by minutes of training; 50 % is even",
    figures: scores,
    byTime: true,
  };
  const grouped = [strength, ...GROUPS]
    .filter((group) => group.figures.length > 0 && names.includes(group.figures[0]!))
    .map((group) => ({ ...group, figures: group.figures.filter((one) => names.includes(one)) }));
  const inGroups = new Set(grouped.flatMap((group) => group.figures));
  const single = names.filter((name) => !inGroups.has(name)).map(groupOfOne);
  const first = single.filter((group) => told.includes(group.figures[0]!));
  const more = single.filter((group) => !first.includes(group));
  return { first: [...grouped, ...first], more };
}

function groupOfOne(name: string): Group {
  const { title, meaning, share } = wordsOf(name);
  return { title: share ? `${title}, %` : title, meaning, figures: [name] };
}
