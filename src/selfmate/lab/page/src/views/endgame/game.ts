// One game of the mini-chess: the position, the moves so far, and play that is watched.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, post } from "../../api";
import { useAttempt } from "../../problem";
import type { MiniPosition, Placement, PlayedMove } from "../../types";
import type { ValueSource } from "./boards";

export type Ending = { ending: "mate" | "stalemate"; after: Placement };

export type Game = {
  position: MiniPosition;
  line: string[]; // Qb3, ka2, ...
  lastMove: [string, string] | null;
  ended: Ending | null;
};

const MAX_WATCHED = 50; // moves; a learned policy may go in circles
const MS_BETWEEN_MOVES = 900;

/** `run` has the learned values; they are loaded again when `step` changes. */
export function useGame(size: number | null, run: string | null, step: number | null) {
  const [game, setGame] = useState<Game | null>(null);
  const [watched, watch] = useState<ValueSource | null>(null);
  const { problem, busy, attempt } = useAttempt();
  const newest = useRef(0); // answers to older requests are ignored

  async function load(query: Record<string, string>, make: (found: MiniPosition) => Game): Promise<void> {
    const number = ++newest.current;
    const query_ = new URLSearchParams(run === null ? query : { ...query, run });
    const found = await attempt(() => get<MiniPosition>(`endgame/${size}/position?${query_}`));
    if (found !== null && number === newest.current) setGame(make(found));
  }

  function begin(): Promise<void> {
    watch(null);
    return load({}, (position) => ({ position, line: [], lastMove: null, ended: null }));
  }

  async function play(move: string): Promise<boolean> {
    if (game === null || game.ended !== null || busy) return false;
    const number = ++newest.current;
    const body = { state: game.position.state, move, run };
    const played = await attempt(() => post<PlayedMove>(`endgame/${size}/move`, body));
    if (played === null || number !== newest.current) {
      watch(null);
      setGame((now) => now && { ...now }); // the board takes a refused piece back
      return false;
    }
    setGame(after(game, played));
    return true;
  }

  useEffect(() => {
    setGame(null);
    if (size !== null) void begin();
  }, [size, run]);
  useEffect(() => {
    if (game !== null && game.ended === null && step !== null && step !== game.position.learned?.step)
      void load({ state: String(game.position.state) }, (position) => ({ ...game, position }));
  }, [step]);
  useEffect(() => {
    if (watched === null || game === null) return;
    const best = watched === "exact" ? game.position.best : game.position.learned?.best;
    if (game.ended !== null || best === undefined || movesOf(game) >= MAX_WATCHED) {
      watch(null);
      return;
    }
    const waiting = setTimeout(() => void play(best), MS_BETWEEN_MOVES);
    return () => clearTimeout(waiting);
  }, [watched, game]);
  return { game, problem, busy, begin, play, watched, watch };
}

export function movesOf(game: Game): number {
  return Math.ceil(game.line.length / 2);
}

function after(game: Game, played: PlayedMove): Game {
  const move = game.position.moves.find((one) => one.name === played.played);
  const line = [...game.line, played.played, ...(played.reply === null ? [] : [played.reply])];
  if (played.ending !== null) {
    const lastMove: [string, string] | null = move ? [move.from, move.to] : null;
    return { ...game, line, lastMove, ended: { ending: played.ending, after: played.after } };
  }
  const position = played.position ?? game.position;
  return { position, line, lastMove: [game.position.pieces.k, position.pieces.k], ended: null };
}
