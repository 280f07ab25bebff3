// The cards of nets: their configurations, as checkpoints have them.
import type { LearnerSettings } from "./core";
import { DEFAULTS } from "./settings";

/** MoveScorerConfig of selfmate.nets, as checkpoints have it. */
export function moveScorerCard(settings: LearnerSettings): string {
  const { encoding, hidden, baseline } = settings;
  return JSON.stringify({
    encoding,
    hidden,
    kind: "move_scorer",
    value_head: baseline === "value_head",
  });
}

export type Card = Record<string, unknown> & { kind: string };

// What nets have and of which type, and the names of version 0.1.
const FIELDS: Record<string, Record<string, string>> = {
  se_resnet: {
    blocks: "number",
    filters: "number",
    attention_blocks: "number",
    squeeze_excitation: "boolean",
    wdl: "boolean",
    semantic_planes: "boolean",
    tactical_planes: "boolean",
    policy_pairs: "boolean",
  },
  transformer: {
    width: "number",
    blocks: "number",
    heads: "number",
    policy_head: "string",
    square_pair_bias: "boolean",
  },
  move_scorer: { encoding: "string", hidden: "object", value_head: "boolean" },
};
// What cards of earlier versions do not say.
const NEW_FIELDS: Record<string, boolean> = { tactical_planes: false, policy_pairs: false };
const OLD_NAMES: Record<string, string> = {
  attention_blocks: "attention",
  squeeze_excitation: "squeeze",
  semantic_planes: "semantic",
  policy_head: "read_out",
  square_pair_bias: "geometry",
};

/** The configuration of a net. Throws an Error with a sentence for anything else. */
export function netConfig(text: string): Card {
  const card = readCard(text);
  const fields = FIELDS[card.kind];
  if (fields === undefined) throw new Error(`No net of the kind ${card.kind} plays in a browser.`);
  const config: Card = { kind: card.kind };
  for (const [name, type] of Object.entries(fields)) {
    const value = card[name] ?? card[OLD_NAMES[name] ?? name] ?? NEW_FIELDS[name];
    if (typeof value !== type || value === null)
      throw new Error(`The card of this ${card.kind} does not say its ${name}.`);
    config[name] = value;
  }
  if ("hidden" in config && !isListOfNumbers(config.hidden))
    throw new Error("The card does not say how many neurons the hidden layers have.");
  return config;
}

function isListOfNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((number) => Number.isSafeInteger(number));
}

function readCard(text: string): Card {
  try {
    const card: unknown = JSON.parse(text);
    if (typeof card === "object" && card !== null && "kind" in card && typeof card.kind === "string")
      return card as Card;
  } catch {
    // said below
  }
  throw new Error("This is not the card of a net.");
}

/** The usual settings of a learner with the net of a card. */
export function readMoveScorer(text: string): LearnerSettings {
  const { kind, encoding, hidden, value_head } = netConfig(text);
  if (kind !== "move_scorer")
    throw new Error(`Only a move_scorer can be trained here, but this net is a ${kind}.`);
  const { games_per_train: _, ...usual } = DEFAULTS;
  return {
    ...usual,
    encoding: encoding as LearnerSettings["encoding"],
    hidden: hidden as number[],
    baseline: value_head ? "value_head" : "none",
  };
}
