// What the server says about positions and players.

export type Desk = {
  start: string;
  moves: string[]; // UCI
  sans: string[];
  ply: number; // how many of the moves are played on the board
  fen: string;
  turn: "white" | "black";
  check: boolean;
  destinations: Record<string, string[]>;
  promotions: string[]; // e7e8
  legal: Record<string, string>; // UCI to SAN
  ending: string | null;
};

export type PastedGame = { title: string; start: string | null; moves: string[] };
export type Pasted = { games: PastedGame[]; left_out: string[] };

export type Judgement = {
  pawns: number | null;
  mate_in: number | null;
  wdl: [number, number, number] | null;
};

export type JudgedMove = {
  uci: string;
  san: string;
  probability: number | null;
  visits: number | null; // of a search that counts them
  white: Judgement | null; // White's view after it, where the player judges it
};

export type Thought = {
  name: string;
  best: { uci: string; san: string };
  line: string[];
  mover: Judgement;
  white: Judgement;
  depth: number | null;
  nodes: number | null;
  legal_mass: number | null; // of a net that is told no rules
  moves: JudgedMove[];
};

/** Answers to what people may get wrong. */
export type Or<Answer> = Answer | { problem: string };

export function answerOf<Answer extends object>(found: Or<Answer>): Answer {
  if ("problem" in found) throw new Error(found.problem);
  return found;
}
