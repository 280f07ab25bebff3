// A game as the server tells it.
import type { Color } from "chessgroundx/types";

export type Considered = {
  move: string;
  san: string;
  share: number | null;
  score: string | null;
  visits: number | null; // of a search that counts them
};

export type Thought = {
  san: string;
  line: string[];
  wdl: [number, number, number] | null;
  value: number | null;
  judgement: string | null;
  considered: Considered[];
};

export type Ply = {
  side: Color;
  move: string;
  san: string;
  fen: string;
  check: boolean;
  thought: Thought | null;
};

export type Clock = {
  left_seconds: Record<Color, number>;
  running: Color | null;
  minutes: number;
  increment_seconds: number;
};

export type Game = {
  id: string;
  version: number;
  person: Color | null;
  names: Record<Color, string>;
  start: { fen: string; check: boolean };
  turn: Color;
  destinations: Record<string, string[]>;
  promotions: string[];
  legal: Record<string, string>;
  moves: Ply[];
  thinking: boolean;
  problem: string | null;
  end: { score: string; winner: Color | null; reason: string; words: string } | null;
  clock: Clock | null;
  pgn: string;
};

export type Side = Color | "random" | "watch";

/** What a new game is asked for with; `opponent` is for watching. */
export type Choice = {
  player: string;
  side: Side;
  opponent: string | null;
  fen: string | null;
  clock: { minutes: number; increment_seconds: number } | null;
};

export function opposite(side: Color): Color {
  return side === "white" ? "black" : "white";
}

/** Whose move it is in a FEN. */
export function turnOf(fen: string): Color {
  return fen.split(" ")[1] === "b" ? "black" : "white";
}
