// What one player thinks of the position on the desk.
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../../api";
import type { Desk, Or, Thought } from "./types";
import { answerOf } from "./types";

const PAUSE_MS = 120; // whoever leafs through a game does not ask at every move

export type Opinion = { thought: Thought | null; problem: string | null; thinking: boolean };

const NONE: Opinion = { thought: null, problem: null, thinking: false };

/** `told` hears it too, and null while there is none; the last one is shown meanwhile. Slow players hold up nobody else. */
export function useOpinion(desk: Desk, player: string, told: (thought: Thought | null) => void): Opinion {
  const [opinion, setOpinion] = useState<Opinion>(NONE);
  const asking = useRef(Promise.resolve()); // one question at a time, then the newest
  useEffect(() => {
    let current = true;
    const tell = (found: Opinion) => {
      if (!current) return;
      setOpinion(found);
      told(found.thought);
    };
    if (desk.ending !== null) {
      tell(NONE);
      return;
    }
    setOpinion((now) => ({ ...NONE, thought: now.thought, thinking: true }));
    told(null);
    const body = { start: desk.start, moves: desk.moves.slice(0, desk.ply), player };
    const waiting = setTimeout(async () => {
      await asking.current;
      if (!current) return;
      asking.current = post<Or<Thought>>("analyse/thought", body)
        .then((found) => tell({ ...NONE, thought: answerOf(found) }))
        .catch((error: Error) => tell({ ...NONE, problem: error.message }));
    }, PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(waiting);
    };
  }, [desk.fen, desk.ply, desk.start, player]);
  return opinion;
}
