// What the page and its worker say to each other. The page asks, and every question has one answer;
// updates come by themselves, whenever something has changed.
import type { GameData, GameHint, Offer, RunData, SampleGame } from "../types";
import type { GameChoice } from "../views/play/game";
import type { LearnerSettings } from "./core";

/** The settings on the page: those of the learner, and how many games a press on Train plays. */
export type TabSettings = LearnerSettings & { games_per_train: number };

/** The name of what is learned here, as a player. */
export const LEARNED = "learned";

/** What a net is made of; all other settings can change while it learns. */
export type NetSettings = Pick<LearnerSettings, "encoding" | "hidden" | "baseline">;

/** A file on its way into or out of a zip archive. */
export type NamedFile = { path: string; bytes: Uint8Array };

type Nothing = Record<never, never>;

/** By verb: what is asked, and what is answered. */
export type Requests = {
  /** Loads the core and what was stored, before anything else. */
  start: [Nothing, Started];
  settings: [{ settings: TabSettings }, null];
  /** So many games more; null: until it is paused. */
  train: [{ games: number | null }, null];
  /** Plays so many games against `random`. */
  measure: [{ games: number }, null];
  pause: [Nothing, null];
  resume: [Nothing, null];
  /** A new net, with the settings as they are. */
  reset: [Nothing, null];
  /** A run's folder as a zip archive. */
  download: [Nothing, NamedFile];
  /** Continues from a checkpoint; the answer says which. */
  load: [{ files: NamedFile[] }, string];
  newGame: [{ choice: GameChoice }, GameData];
  act: [{ verb: string; move?: string }, GameData];
  hint: [Nothing, GameHint];
  /** Leaves of the move tree from the start. */
  perft: [{ depth: number }, { nodes: number; seconds: number }];
};
export type Verb = keyof Requests;

export type Started = {
  settings: TabSettings;
  offers: Offer[];
};

export type Request = { [V in Verb]: { id: number; verb: V; body: Requests[V][0] } }[Verb];
export type Answer = { id: number; answer: unknown } | { id: number; error: string };

export type Update =
  | { about: "training"; training: TrainingData }
  | { about: "sample"; sample: SampleGame | null }
  | { about: "game"; game: GameData | null; choice: GameChoice | null }
  | { about: "offers"; offers: Offer[] }
  | { about: "settings"; settings: TabSettings }
  /** Why nothing is stored; null: it is. */
  | { about: "storage"; problem: string | null };

export type TrainingData = {
  /** As the lab describes a run: curves, newest metrics, progress. */
  run: RunData;
  /** What the net is, whatever the settings say by now. */
  net: NetSettings;
  /** Games that are left of this Train; null: it goes on until it is paused. */
  left: number | null;
  memory: { usedBytes: number; heapBytes: number };
  problem: string | null;
};

export type Message = Answer | Update;
