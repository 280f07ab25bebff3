// The worker: it owns the core, and does all that takes time. Long work is cut into slices, between
// which the page is answered.
import type { Color } from "chessgroundx/types";
import type { GameData, GameHint, SampleGame } from "../types";
import { type GameChoice, opposite } from "../views/play/game";
import { type Core, loadCore, START_FEN } from "./core";
import { TabGame } from "./game";
import { offers, Opponents } from "./opponents";
import type { Message, Request, Requests, Started, TabSettings, Verb } from "./protocol";
import { DEFAULTS, merged } from "./settings";
import { Storage } from "./storage";
import { Training } from "./training";

const SLICE_MS = 25; // training and an opponent take turns: an answer waits for two slices at most
const UPDATE_MS = 200;

type StoredGame = { choice: GameChoice; side: Color | null; moves: string[]; isResigned: boolean };
type Handlers = { [V in Verb]: (body: Requests[V][0]) => Requests[V][1] | Promise<Requests[V][1]> };

function say(message: Message): void {
  postMessage(message);
}

class Tab implements Handlers {
  private core!: Core;
  private storage!: Storage;
  private training!: Training;
  private opponents!: Opponents;
  private current: TabGame | null = null;
  private isScheduled = false;
  private toldAt = 0;
  private readonly turns = new MessageChannel();

  constructor() {
    this.turns.port1.onmessage = () => this.turn();
  }

  // ---- what the page asks for

  async start(): Promise<Started> {
    this.core = await loadCore(await fetchCore());
    this.storage = await Storage.open((problem) => say({ about: "storage", problem }));
    const settings = merged(DEFAULTS, (await this.storage.read<TabSettings>("settings")) ?? {});
    const tell = {
      training: () => this.tellTraining(),
      sample: (sample: SampleGame | null) => say({ about: "sample", sample }),
    };
    this.training = await Training.open(this.core, this.storage, tell, settings);
    this.opponents = new Opponents(this.core, () => this.training.learner);
    await this.restoreGame();
    tell.sample(this.training.lastSample);
    this.tellTraining(true);
    return { settings, offers: offers(this.training.gamesDone) };
  }

  settings({ settings }: { settings: TabSettings }): null {
    this.training.change(settings);
    return null;
  }

  train({ games }: { games: number | null }): null {
    this.training.train(games);
    return this.workOn();
  }

  resume(): null {
    this.training.resume();
    return this.workOn();
  }

  measure({ games }: { games: number }): null {
    this.training.measure(games);
    return this.workOn();
  }

  pause(): null {
    this.training.pause();
    return this.workOn();
  }

  reset(): null {
    this.training.reset();
    return this.workOn();
  }

  download() {
    return this.training.download();
  }

  async load({ files }: Requests["load"][0]): Promise<string> {
    const loaded = await this.training.load(files);
    say({ about: "settings", settings: this.training.settings });
    this.workOn();
    return loaded;
  }

  async newGame({ choice }: { choice: GameChoice }): Promise<GameData> {
    const side = { white: "white", black: "black", watch: null, random: coin() }[
      choice.side
    ] as Color | null;
    return this.openGame({ choice, side, moves: [], isResigned: false });
  }

  act({ verb, move = "" }: { verb: string; move?: string }): GameData {
    const game = this.openedGame();
    game.act(verb, move);
    return this.changed(game);
  }

  async hint(): Promise<GameHint> {
    const game = this.openedGame();
    for (;;) {
      const found = game.hint(SLICE_MS);
      if (found !== null) return found;
      await new Promise((resolve) => setTimeout(resolve));
      if (game !== this.current) throw new Error("Another game was begun.");
    }
  }

  /** A move at a time, so that nobody waits for the whole of it. */
  async perft({ depth }: { depth: number }): Promise<{ nodes: number; seconds: number }> {
    const since = performance.now();
    const game = this.core.game(START_FEN);
    let nodes = 0;
    for (const move of game.legalMoves()) {
      game.push(move);
      nodes += this.core.perft(game.fen(), depth - 1);
      game.pop();
      await new Promise((resolve) => setTimeout(resolve));
    }
    game.free();
    return { nodes, seconds: (performance.now() - since) / 1000 };
  }

  // ---- games

  private openedGame(): TabGame {
    if (this.current === null) throw new Error("There is no game yet.");
    return this.current;
  }

  private async openGame(stored: StoredGame): Promise<GameData> {
    const { choice, side, moves } = stored;
    const player = await this.opponents.find(choice.player);
    const other = choice.opponent === null ? player : await this.opponents.find(choice.opponent);
    const both =
      side === null ? { white: player, black: other } : { [side]: null, [opposite(side)]: player };
    const game = new TabGame(
      this.core,
      choice,
      side,
      both as ConstructorParameters<typeof TabGame>[3],
      moves,
    );
    if (stored.isResigned) game.resign();
    this.current?.free();
    this.current = game;
    return this.changed(game);
  }

  private async restoreGame(): Promise<void> {
    const stored = await this.storage.read<StoredGame>("game");
    const none = () => say({ about: "game", game: null, choice: stored?.choice ?? null });
    // A net that ships may have to be fetched again: nobody waits for it.
    if (stored !== null) void this.openGame(stored).catch(none);
    else none();
  }

  private changed(game: TabGame): GameData {
    const { choice, side, moves, isResigned } = game;
    void this.storage.write("game", { choice, side, moves, isResigned } satisfies StoredGame);
    const data = game.data();
    say({ about: "game", game: data, choice });
    this.workOn();
    return data;
  }

  // ---- work in slices

  private workOn(): null {
    this.tellTraining(true);
    this.schedule();
    return null;
  }

  private schedule(): void {
    if (this.isScheduled || !(this.training.isBusy || this.current?.isBusy)) return;
    this.isScheduled = true;
    this.turns.port2.postMessage(null); // behind what the page has asked meanwhile
  }

  private turn(): void {
    this.isScheduled = false;
    if (this.training.isBusy) this.training.step(SLICE_MS);
    if (this.current?.isBusy) this.think(this.current);
    this.schedule();
  }

  private think(game: TabGame): void {
    game.think(SLICE_MS);
    if (!game.isBusy) this.changed(game);
  }

  /** A few times a second, and whenever somebody waits for it. */
  private tellTraining(now = !this.training.isBusy): void {
    if (!now && performance.now() - this.toldAt < UPDATE_MS) return;
    this.toldAt = performance.now();
    say({ about: "training", training: this.training.data() });
    if (now) say({ about: "offers", offers: offers(this.training.gamesDone) });
  }
}

async function fetchCore(): Promise<ArrayBuffer> {
  const answer = await fetch("core.wasm").catch(() => null);
  if (!answer?.ok) throw new Error("core.wasm could not be fetched: reload the page.");
  return answer.arrayBuffer();
}

function coin(): Color {
  return Math.random() < 0.5 ? "white" : "black";
}

const tab = new Tab();

async function answer({ id, verb, body }: Request): Promise<void> {
  try {
    say({ id, answer: await (tab[verb] as (body: unknown) => unknown).call(tab, body) });
  } catch (error) {
    say({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

addEventListener("message", (event: MessageEvent<Request>) => void answer(event.data));
