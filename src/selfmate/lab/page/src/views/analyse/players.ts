// The players that are asked: up to four, each with a colour and its newest analysis.
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../../api";
import { newestRun, strongestNet } from "../../players";
import type { Offer, PositionAnalysis, PositionData, Problem } from "../../types";
import { answerOf } from "./position";

export const COLOURS = ["green", "blue", "yellow", "red"];

export type AskedPlayer = {
  key: number;
  colour: number;
  name: string;
  analysis: PositionAnalysis | null;
};

const TEACHER = "teacher:depth=2";

export function usePlayers(linked: string[], offers: Offer[] | null) {
  const [players, setPlayers] = useState<AskedPlayer[]>([]);
  useEffect(() => {
    if (offers === null) return;
    const names = linked.length > 0 ? linked.slice(0, COLOURS.length) : firstNames(offers);
    setPlayers(names.map((name, at) => ({ key: at, colour: at, name, analysis: null })));
  }, [linked.join("\n"), offers === null]);
  const change = (key: number, fields: Partial<AskedPlayer>) =>
    setPlayers((now) => now.map((one) => (one.key === key ? { ...one, ...fields } : one)));
  return {
    players,
    add: () => setPlayers((now) => [...now, anotherPlayer(now, offers ?? [])]),
    remove: (key: number) => setPlayers((now) => now.filter((one) => one.key !== key)),
    choose: (key: number, name: string) => change(key, { name, analysis: null }),
    setAnalysis: (key: number, analysis: PositionAnalysis | null) => change(key, { analysis }),
  };
}

/** The newest run, else the strongest net that ships, and the teacher beside it. */
function firstNames(offers: Offer[]): string[] {
  return [newestRun(offers) ?? strongestNet(offers) ?? "greedy", TEACHER];
}

function anotherPlayer(players: AskedPlayer[], offers: Offer[]): AskedPlayer {
  const names = offers.filter((offer) => offer.trained).map((offer) => offer.strengths[0]!.name);
  const unused = names.find((name) => !players.some((one) => one.name === name));
  const colour = COLOURS.findIndex((_, at) => !players.some((one) => one.colour === at));
  const key = Math.max(-1, ...players.map((one) => one.key)) + 1;
  return { key, colour, name: unused ?? names[0] ?? "random", analysis: null };
}

const PAUSE_MS = 120; // no request for each move of a game that is stepped through

type AnalysisState = {
  analysis: PositionAnalysis | null;
  problem: string | null;
  thinking: boolean;
};

const NONE: AnalysisState = { analysis: null, problem: null, thinking: false };

/** `onAnalysis` gets each analysis, and null while there is none; the last one stays visible
 * meanwhile. A slow player does not delay the others. */
export function useAnalysis(
  position: PositionData,
  player: string,
  onAnalysis: (analysis: PositionAnalysis | null) => void,
): AnalysisState {
  const [state, setState] = useState<AnalysisState>(NONE);
  const running = useRef(Promise.resolve()); // one request at a time, then the newest
  useEffect(() => {
    let current = true;
    const finish = (next: AnalysisState) => {
      if (!current) return;
      setState(next);
      onAnalysis(next.analysis);
    };
    if (position.ending !== null) {
      finish(NONE);
      return;
    }
    setState((now) => ({ ...NONE, analysis: now.analysis, thinking: true }));
    onAnalysis(null);
    const body = { start: position.start, moves: position.moves.slice(0, position.ply), player };
    const waiting = setTimeout(async () => {
      await running.current;
      if (!current) return;
      running.current = post<PositionAnalysis | Problem>("analyse/analysis", body)
        .then((answer) => finish({ ...NONE, analysis: answerOf(answer) }))
        .catch((error: Error) => finish({ ...NONE, problem: error.message }));
    }, PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(waiting);
    };
  }, [position.fen, position.ply, position.start, player]);
  return state;
}
