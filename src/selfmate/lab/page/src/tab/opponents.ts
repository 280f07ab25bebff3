// Whoever plays against a person: what was learned here, a net that ships, or random moves.
import alphazero from "../../../../weights/alphazero-tiny/card.json";
import searchless from "../../../../weights/searchless-tiny/card.json";
import type { Offer } from "../types";
import type { Core, Game, Learner, NetPlayer } from "./core";
import { LEARNED } from "./protocol";
import { sha256 } from "./sha256";

/** What a player says about a position; shares and value are those of the side to move. */
export type Thought = {
  best: string;
  value: number | null;
  moves: { uci: string; probability: number; visits: number | null }[];
};

export interface Opponent {
  readonly name: string;
  /** For about so long; null: it has not decided yet. It may be asked about another game next. */
  think(game: Game, milliseconds: number): Thought | null;
}

const RANDOM = "random";
const SIMULATIONS = [200, 50, 400]; // the rated strength first
const SHIPPED = [alphazero, searchless];

export function offers(games: number): Offer[] {
  return [
    {
      title: "Your net",
      about: games === 0 ? "not trained yet" : `trained on ${games.toLocaleString("en")} games`,
      strengths: [{ name: LEARNED, title: "", elo: null }],
      ships: false,
      trained: games > 0,
      scale: "",
      elo_range: null,
    },
    shippedOffer(
      alphazero,
      SIMULATIONS.map((one) => [`alphazero-tiny:sims=${one}`, `${one} simulations`]),
    ),
    shippedOffer(searchless, [["searchless-tiny", "without search"]]),
    {
      title: "Random",
      about: "any legal move",
      strengths: [{ name: RANDOM, title: "", elo: null }],
      ships: false,
      trained: true,
      scale: "",
      elo_range: null,
    },
  ];
}

function shippedOffer(card: (typeof SHIPPED)[number], names: [string, string][]): Offer {
  const rated = card.ratings as { player: string; elo: number; scale: string }[];
  const eloOf = (name: string) => rated.find((one) => one.player === name)?.elo ?? null;
  const strengths = names.map(([name, title]) => ({ name, title, elo: eloOf(name) }));
  return {
    title: card.name,
    about: "ships with Selfmate",
    strengths,
    ships: true,
    trained: true,
    scale: rated[0]?.scale ?? "",
    elo_range: null,
  };
}

export class Opponents {
  private readonly nets = new Map<string, NetPlayer>();

  /** `learner` is asked whenever it has to move: there may be another one by then. */
  constructor(
    private readonly core: Core,
    private readonly learner: () => Learner,
  ) {}

  /** Fetches a net that ships when it is asked for first; throws a sentence if that fails. */
  async find(name: string): Promise<Opponent> {
    if (name === LEARNED)
      return { name: "selfmate-tab", think: (game) => learnedThought(this.learner(), game) };
    if (name === RANDOM) return { name, think: randomThought };
    const [kind = "", options = ""] = name.split(":");
    const card = SHIPPED.find((one) => one.name === kind);
    if (card === undefined) throw new Error(`There is no player ${name.slice(0, 40)} here.`);
    const simulations = Number(/^sims=(\d{1,5})$/.exec(options)?.[1] ?? 0);
    const net = this.nets.get(kind) ?? (await this.fetchNet(card));
    return { name, think: (game, milliseconds) => searched(net, game, simulations, milliseconds) };
  }

  private async fetchNet(card: (typeof SHIPPED)[number]): Promise<NetPlayer> {
    const answer = await fetch(`nets/${card.name}/weights.safetensors`).catch(() => null);
    if (!answer?.ok)
      throw new Error(
        `${card.name} could not be fetched. Is the server that this page came from still there?`,
      );
    const weights = new Uint8Array(await answer.arrayBuffer());
    if (sha256(weights) !== card.weights_sha256)
      throw new Error(`The weights of ${card.name} arrived damaged.`);
    const net = this.core.player(JSON.stringify(card.player), weights);
    this.nets.set(card.name, net);
    return net;
  }
}

function learnedThought(learner: Learner, game: Game): Thought {
  const moves = learner.policy(game).map((one) => ({ ...one, visits: null }));
  return { best: learner.choose(game), value: null, moves };
}

function randomThought(game: Game): Thought {
  const moves = game.legalMoves();
  return { best: moves[Math.floor(Math.random() * moves.length)]!, value: null, moves: [] };
}

function searched(
  net: NetPlayer,
  game: Game,
  simulations: number,
  milliseconds: number,
): Thought | null {
  const { done, best, value, moves } = net.analyse(game, simulations, milliseconds);
  if (!done) return null;
  return {
    best,
    value,
    moves: moves.map((one) => (simulations === 0 ? { ...one, visits: null } : one)),
  };
}
