// A game of the learner's last iteration, position by position.
import type { SampleGame } from "../types";
import type { Core, Learner } from "./core";

const LEARNER = "learner";

export function sampleGame(core: Core, learner: Learner, step: number): SampleGame {
  const { moves, whiteIsRandom, blackIsRandom } = learner.sample();
  const game = core.game();
  const fens = [game.fen()];
  const sans: string[] = [];
  try {
    for (const move of moves) {
      sans.push(game.san(move));
      game.push(move);
      fens.push(game.fen());
    }
    const outcome = game.outcome();
    return {
      step,
      white: whiteIsRandom ? "random" : LEARNER,
      black: blackIsRandom ? "random" : LEARNER,
      result: outcome?.result ?? "*",
      reason: outcome?.reason ?? "ply_limit",
      size: 8,
      fens,
      moves: sans,
      squares: moves,
    };
  } finally {
    game.free();
  }
}
