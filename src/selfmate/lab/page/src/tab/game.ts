// A game in the tab, as the lab's server would describe it: a person against an opponent, or two
// opponents that a person watches.
import type { Color } from "chessgroundx/types";
import type { EndData, GameData, GameHint, MoveAnalysis, Ply } from "../types";
import { type GameChoice, opposite } from "../views/play/game";
import type { Core, Game } from "./core";
import facts from "./facts.json";
import type { Opponent, Thought } from "./opponents";
import { pgnOf } from "./pgn";

const PERSON = "Human";
const MAX_CONSIDERED = 5;

export class TabGame {
  private readonly board: Game;
  private readonly start: GameData["start"];
  private plies: Ply[] = [];
  private isThinking = false;
  private hasResigned = false;
  private problem: string | null = null;
  private version = 0;
  private readonly id = String(Date.now());

  /** `side` is the person's; null: a game to watch. Throws a sentence if the position or one of the
   * moves is impossible. */
  constructor(
    core: Core,
    readonly choice: GameChoice,
    readonly side: Color | null,
    private readonly opponents: Record<Color, Opponent | null>,
    moves: string[] = [],
  ) {
    this.board = choice.fen === null ? core.game() : core.game(choice.fen);
    this.start = { fen: this.board.fen(), check: this.board.isCheck() };
    try {
      for (const move of moves) this.push(move, null);
      this.proceed();
    } catch (error) {
      this.board.free();
      throw error;
    }
  }

  get isBusy(): boolean {
    return this.isThinking;
  }

  get moves(): string[] {
    return this.plies.map((ply) => ply.move);
  }

  get isResigned(): boolean {
    return this.hasResigned;
  }

  /** What the buttons of the page ask for. */
  act(verb: string, move: string): void {
    if (verb === "move") this.move(move);
    else if (verb === "step") this.isThinking = this.end() === null;
    else if (verb === "back") this.takeBack();
    else if (verb === "resign") this.resign();
    else throw new Error(`A game cannot ${verb}.`);
    this.problem = null;
    this.version += 1;
  }

  private move(move: string): void {
    if (this.end() !== null) throw new Error("This game is over.");
    if (this.board.turn() !== this.side) throw new Error("It is not your move.");
    this.push(move, null);
    this.proceed();
  }

  private takeBack(): void {
    const last = this.plies.findLastIndex((ply) => ply.side === this.side);
    if (last < 0) throw new Error("There is no move of yours to take back.");
    for (; this.plies.length > last; this.plies.pop()) this.board.pop();
    this.hasResigned = false;
    this.proceed();
  }

  resign(): void {
    this.hasResigned = true;
    this.isThinking = false;
  }

  private push(move: string, analysis: MoveAnalysis | null): void {
    const ply = { side: this.board.turn(), move, san: this.board.san(move), analysis };
    this.board.push(move);
    this.plies.push({ ...ply, fen: this.board.fen(), check: this.board.isCheck() });
  }

  /** In a watched game the page asks for each move: it keeps the watcher's pace. */
  private proceed(): void {
    this.isThinking = this.side !== null && this.board.turn() !== this.side && this.end() === null;
  }

  /** The opponent thinks for about so long, and moves when it has decided. */
  think(milliseconds: number): void {
    try {
      const thought = this.opponents[this.board.turn()]!.think(this.board, milliseconds);
      if (thought === null) return;
      this.push(thought.best, this.described(thought));
      this.proceed();
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
      this.isThinking = false;
    }
    this.version += 1;
  }

  /** The move that the opponent would make for the person; null: it has not decided yet. */
  hint(milliseconds: number): GameHint | null {
    const opponent = this.opponents[opposite(this.side ?? "white")]!;
    const thought = opponent.think(this.board, milliseconds);
    if (thought === null) return null;
    const move = thought.moves[0]?.uci ?? thought.best;
    return {
      by: opponent.name,
      move,
      san: this.board.san(move),
      judgement: null,
      plies: this.plies.length,
    };
  }

  private described({ best, value, moves }: Thought): MoveAnalysis {
    const likeliest = [...moves].sort((one, other) => other.probability - one.probability);
    return {
      san: this.board.san(best),
      line: [],
      wdl: null,
      value,
      judgement: null,
      considered: likeliest.slice(0, MAX_CONSIDERED).map(({ uci, probability, visits }) => ({
        move: uci,
        san: this.board.san(uci),
        share: probability,
        score: null,
        visits,
      })),
    };
  }

  private end(): EndData | null {
    if (this.hasResigned && this.side !== null)
      return this.ended(opposite(this.side), "resignation");
    const outcome = this.board.outcome();
    if (outcome === null) return null;
    const winner = { "1-0": "white", "0-1": "black", "1/2-1/2": null }[
      outcome.result
    ] as Color | null;
    return this.ended(winner, outcome.reason);
  }

  private ended(winner: Color | null, reason: string): EndData {
    const score = winner === null ? "1/2-1/2" : winner === "white" ? "1-0" : "0-1";
    return { score, winner, reason, words: wordsOf(winner, reason, this.side) };
  }

  data(): GameData {
    const end = this.end();
    const isMine = end === null && this.board.turn() === this.side;
    const name = (side: Color) => this.opponents[side]?.name ?? PERSON;
    return {
      ...legalMovesOf(this.board, isMine ? this.board.legalMoves() : []),
      start: this.start,
      turn: this.board.turn(),
      moves: [...this.plies],
      id: this.id,
      version: this.version,
      person: this.side,
      names: { white: name("white"), black: name("black") },
      thinking: this.isThinking,
      problem: this.problem,
      end,
      clock: null,
      opening: null,
      draw_declined: false,
      pgn: this.pgn(name("white"), name("black"), end),
    };
  }

  private pgn(white: string, black: string, end: EndData | null): string {
    const roster = {
      Event: "Selfmate in a tab",
      Site: "?",
      Date: new Date(Number(this.id)).toISOString().slice(0, 10).replaceAll("-", "."),
      Round: "?",
      White: white,
      Black: black,
    };
    const result = end?.score ?? "*";
    const termination: Record<string, string> =
      end === null ? {} : { Termination: end.reason.replaceAll("_", " ") };
    const sans = this.plies.map((ply) => ply.san);
    return pgnOf({ ...roster, Result: result, ...termination }, this.start.fen, sans, result);
  }

  free(): void {
    this.board.free();
  }
}

function legalMovesOf(
  board: Game,
  moves: string[],
): Pick<GameData, "destinations" | "promotions" | "legal"> {
  const destinations: Record<string, string[]> = {};
  for (const move of moves) {
    const squares = (destinations[move.slice(0, 2)] ??= []);
    if (!squares.includes(move.slice(2, 4))) squares.push(move.slice(2, 4)); // four promotions lead to one
  }
  const promotions = moves.filter((move) => move.length === 5).map((move) => move.slice(0, 4));
  return {
    destinations,
    promotions: [...new Set(promotions)],
    legal: Object.fromEntries(moves.map((move) => [move, board.san(move)])),
  };
}

/** For the person who played, or for one who watched. */
function wordsOf(winner: Color | null, reason: string, person: Color | null): string {
  if (winner === null) return (facts.draws as Record<string, string>)[reason] ?? "Draw.";
  const how = (facts.wins as Record<string, string>)[reason] ?? "";
  if (person === null) return `${winner === "white" ? "White" : "Black"} won ${how}.`;
  if (winner === person) return `You won ${how}.`;
  return reason === "resignation" ? "You resigned." : `You lost ${how}.`;
}
