// The settings on the page: their defaults, their bounds, and what of them makes another net.
import facts from "./facts.json";
import type { LearnerSettings } from "./core";
import type { NetSettings, TabSettings } from "./protocol";

type Fact = {
  default: unknown;
  description: string;
  allowed: string;
  kind: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
};

const OWN: Record<"games_per_train", Fact> = {
  games_per_train: {
    default: 50,
    description: "games that a press on Train plays and learns from",
    allowed: "a whole number from 1 to 1000000",
    kind: "whole",
    minimum: 1,
    maximum: 1_000_000,
  },
};
export const FACTS = { ...OWN, ...facts.settings } as Record<keyof TabSettings, Fact>;

export const DEFAULTS = Object.fromEntries(
  Object.entries(FACTS).map(([name, fact]) => [name, fact.default]),
) as unknown as TabSettings;

/** By name: what differs from the defaults. */
export const PRESETS = facts.presets as Record<string, Partial<TabSettings>>;

/** Why a number cannot be used, or null. */
export function problemOf(name: keyof TabSettings, value: number): string | null {
  const {
    kind,
    minimum = -Infinity,
    exclusiveMinimum = -Infinity,
    maximum = Infinity,
    allowed,
  } = FACTS[name];
  const isOfKind = kind === "whole" ? Number.isSafeInteger(value) : Number.isFinite(value);
  const isWithin = value >= minimum && value > exclusiveMinimum && value <= maximum;
  return isOfKind && isWithin ? null : `It must be ${allowed}.`;
}

/** Settings from a stranger, such as the card of a run: what cannot be used keeps its value. */
export function merged(settings: TabSettings, other: object): TabSettings {
  const usable = Object.entries(other).filter(([name, value]) => {
    const mine = settings[name as keyof TabSettings];
    if (typeof mine === "number")
      return typeof value === "number" && problemOf(name as keyof TabSettings, value) === null;
    if (Array.isArray(mine))
      return Array.isArray(value) && value.every((one) => Number.isSafeInteger(one));
    return typeof value === typeof mine;
  });
  return { ...settings, ...Object.fromEntries(usable) };
}

/** Whether these settings need another net than the one there is. */
export function needsOtherNet(net: NetSettings, settings: NetSettings): boolean {
  const hasValueHead = (one: NetSettings) => one.baseline === "value_head";
  const shape = (one: NetSettings) => [one.encoding, one.hidden, hasValueHead(one)].join();
  return shape(net) !== shape(settings);
}

/** The settings that a learner with this net can use. */
export function usableWith(
  net: NetSettings,
  { games_per_train: _, ...settings }: TabSettings,
): LearnerSettings {
  return needsOtherNet(net, settings) ? { ...settings, ...netSettings(net) } : settings;
}

export function netSettings({ encoding, hidden, baseline }: NetSettings): NetSettings {
  return { encoding, hidden, baseline };
}
