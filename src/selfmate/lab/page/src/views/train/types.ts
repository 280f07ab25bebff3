// What the server says about learners and runs.
import type { RunRow } from "../../runs";

export type Value = string | number | boolean | (string | number)[];

export type Setting = {
  name: string;
  default: Value;
  allowed: string;
  description: string;
  kind: "whole" | "number" | "switch" | "choice" | "text" | "list";
  least: number | null;
  most: number | null;
  choices: string[];
};

export type Preset = { name: string; about: string; values: Record<string, Value> };

export type Learner = {
  name: string;
  summary: string;
  unit: string;
  command: string;
  /** Whether it can be started here. */
  here: boolean;
  presets: Preset[];
  settings: Setting[];
  main_settings: string[];
  /** The setting that says how many units a press on Train does; none: all. */
  click: string;
  plots: string[];
  headlines: string[];
};

export type Curves = {
  x: number[];
  seconds: number[];
  figures: Record<string, (number | null)[]>;
};

export type Note = { step: number; text: string; alarm: boolean };
export type Step = { done: number; figures: Record<string, number> };

/** Without `curves`: a run that has not begun. */
export type Run = RunRow & {
  config?: Record<string, Value>;
  plays?: string | null;
  newest?: Record<string, number>;
  steps?: Step[];
  curves?: Curves;
  notes?: Note[];
  best?: { step: number; score: number } | null;
  checkpoints?: number[];
};

export type Sample = {
  step: number;
  white: string;
  black: string;
  result: string;
  reason: string;
  size: number;
  fens: string[];
  moves: string[];
  squares: string[];
};
