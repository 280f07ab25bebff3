// The position on the desk: a line of moves, and how far it is played.
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../../api";
import { useAttempt } from "../../problem";
import type { Desk, Or, Pasted, PastedGame } from "./types";
import { answerOf } from "./types";

export type Line = { start: string | null; moves: string[] };

/** Begins with what a link has brought: a position, and moves from there. */
export function useDesk(brought: URLSearchParams) {
  const [desk, setDesk] = useState<Desk | null>(null);
  const [pasted, setPasted] = useState<Pasted | null>(null);
  const [game, setGame] = useState<PastedGame | null>(null);
  const { problem, attempt } = useAttempt();
  const newest = useRef(0);
  const aim = useRef(0); // the ply that is asked for, ahead of the answer

  /** Only the newest question is heard; what is refused leaves the desk as it was. */
  async function look(line: Line, ply: number, add?: string): Promise<boolean> {
    const number = ++newest.current;
    aim.current = ply;
    const body = { start: line.start, moves: line.moves, ply, ...(add === undefined ? {} : { add }) };
    const found = await attempt(async () => answerOf(await post<Or<Desk>>("analyse/position", body)));
    if (number !== newest.current) return false;
    setDesk((now) => found ?? (now && { ...now }));
    aim.current = found?.ply ?? desk?.ply ?? 0;
    return found !== null;
  }

  async function read(text: string): Promise<boolean> {
    const found = await attempt(async () => answerOf(await post<Or<Pasted>>("analyse/read", { text })));
    if (found === null) return false;
    setPasted(found);
    open(found.games[0]!);
    return true;
  }

  function open(chosen: PastedGame): void {
    setGame(chosen.moves.length > 0 ? chosen : null);
    void look(chosen, 0);
  }

  const start = brought.get("fen");
  const moves = brought.get("moves") ?? "";
  const ply = Number(brought.get("ply") ?? 0);
  useEffect(() => {
    const line = { start, moves: moves.split(" ").filter(Boolean) };
    setGame(line.moves.length > 0 ? { title: "", ...line } : null);
    setPasted(null);
    void look(line, ply).then((found) => {
      if (!found) void lookAtStart();
    });
  }, [start, moves, ply]);

  /** A link with a wrong position still shows a board, and the sentence stays. */
  async function lookAtStart(): Promise<void> {
    const found = await post<Or<Desk>>("analyse/position", {}).catch(() => null);
    if (found !== null && "fen" in found) setDesk((now) => now ?? found);
  }

  function goTo(ply: number): void {
    if (desk !== null) void look(desk, Math.max(0, Math.min(ply, desk.moves.length)));
  }

  return {
    desk,
    pasted,
    game,
    problem,
    read,
    open,
    move: (text: string) => (desk === null ? Promise.resolve(false) : look(desk, desk.ply, text)),
    goTo,
    step: (plies: number) => goTo(aim.current + plies),
    backToGame: () => {
      if (desk !== null && game !== null) void look(game, sharedPlies(desk, game));
    },
  };
}

export function isInGame(desk: Desk, game: PastedGame): boolean {
  return desk.moves.length === game.moves.length && sharedPlies(desk, game) === game.moves.length;
}

function sharedPlies(desk: Desk, game: PastedGame): number {
  const differs = game.moves.findIndex((move, at) => move !== desk.moves[at]);
  return differs < 0 ? game.moves.length : differs;
}
