// The position that is analysed: a line of moves, and how many of them are on the board.
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../../api";
import { useAttempt } from "../../problem";
import type { PastedGame, PastedGames, PositionData, Problem } from "../../types";

export type Line = { start: string | null; moves: string[] };

/** Starts with what a link contains: a position, and moves from there. */
export function usePosition(link: URLSearchParams) {
  const [position, setPosition] = useState<PositionData | null>(null);
  const [pasted, setPasted] = useState<PastedGames | null>(null);
  const [game, setGame] = useState<PastedGame | null>(null);
  const { problem, attempt } = useAttempt();
  const newest = useRef(0);
  const wantedPly = useRef(0); // ahead of the answer

  /** Only the newest request counts; one that is refused leaves the position as it was. */
  async function load(line: Line, ply: number, add?: string): Promise<boolean> {
    const number = ++newest.current;
    wantedPly.current = ply;
    const body = { start: line.start, moves: line.moves, ply, ...(add === undefined ? {} : { add }) };
    const found = await attempt(async () => answerOf(await post<PositionData | Problem>("analyse/position", body)));
    if (number !== newest.current) return false;
    setPosition((now) => found ?? (now && { ...now }));
    wantedPly.current = found?.ply ?? position?.ply ?? 0;
    return found !== null;
  }

  async function read(text: string): Promise<boolean> {
    const found = await attempt(async () => answerOf(await post<PastedGames | Problem>("analyse/read", { text })));
    if (found === null) return false;
    setPasted(found);
    open(found.games[0]!);
    return true;
  }

  function open(chosen: PastedGame): void {
    setGame(chosen.moves.length > 0 ? chosen : null);
    void load(chosen, 0);
  }

  const start = link.get("fen");
  const moves = link.get("moves") ?? "";
  const ply = Number(link.get("ply") ?? 0);
  useEffect(() => {
    const line = { start, moves: moves.split(" ").filter(Boolean) };
    setGame(line.moves.length > 0 ? { title: "", ...line } : null);
    setPasted(null);
    void load(line, ply).then((found) => {
      if (!found) void loadStart();
    });
  }, [start, moves, ply]);

  /** A link with a wrong position still shows a board, and the problem stays. */
  async function loadStart(): Promise<void> {
    const found = await post<PositionData | Problem>("analyse/position", {}).catch(() => null);
    if (found !== null && "fen" in found) setPosition((now) => now ?? found);
  }

  function goTo(ply: number): void {
    if (position !== null) void load(position, Math.max(0, Math.min(ply, position.moves.length)));
  }

  return {
    position,
    pasted,
    game,
    problem,
    read,
    open,
    move: (text: string) => (position === null ? Promise.resolve(false) : load(position, position.ply, text)),
    goTo,
    step: (plies: number) => goTo(wantedPly.current + plies),
    backToGame: () => {
      if (position !== null && game !== null) void load(game, sharedPlies(position, game));
    },
  };
}

export function isInGame(position: PositionData, game: PastedGame): boolean {
  return position.moves.length === game.moves.length && sharedPlies(position, game) === game.moves.length;
}

function sharedPlies(position: PositionData, game: PastedGame): number {
  const differs = game.moves.findIndex((move, at) => move !== position.moves[at]);
  return differs < 0 ? game.moves.length : differs;
}

/** Throws the problem of an answer to something that people may get wrong. */
export function answerOf<Answer extends object>(answer: Answer | Problem): Answer {
  if ("problem" in answer) throw new Error(answer.problem);
  return answer;
}
