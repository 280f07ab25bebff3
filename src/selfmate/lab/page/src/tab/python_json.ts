// JSON and TOML byte for byte as Python's `json` and `selfmate.runs.files` write them: the digests of
// a run's cards are made of this text.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One text per value, for digests. */
export function canonical(value: Json): string {
  return written(value, { colon: ":", comma: ",", sorted: true }, "");
}

/** Indented, with sorted keys. */
export function pretty(value: Json): string {
  return `${written(value, { colon: ": ", comma: ",", sorted: true, indent: true }, "\n")}\n`;
}

/** On one line, keys in their order. */
export function oneLine(value: Json): string {
  return written(value, { colon: ": ", comma: ", ", sorted: false }, "");
}

/** A run's config.toml. */
export function configToml(learner: string, config: Record<string, Json>): string {
  const lines = Object.entries(config).map(([key, value]) => `${key} = ${oneLine(value)}`);
  return [`learner = ${oneLine(learner)}`, "", "[config]", ...lines, ""].join("\n");
}

type Style = { colon: string; comma: string; sorted: boolean; indent?: boolean };

function written(value: Json, style: Style, line: string): string {
  if (typeof value === "number") return numberText(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const deeper = style.indent ? `${line} ` : "";
  const wrap = (parts: string[], open: string, close: string) =>
    parts.length === 0
      ? open + close
      : open + deeper + parts.join(style.comma + deeper) + line + close;
  if (Array.isArray(value))
    return wrap(
      value.map((one) => written(one, style, deeper)),
      "[",
      "]",
    );
  const entries = Object.entries(value);
  if (style.sorted) entries.sort(([one], [other]) => (one < other ? -1 : 1));
  const fields = entries.map(
    ([key, one]) => JSON.stringify(key) + style.colon + written(one, style, deeper),
  );
  return wrap(fields, "{", "}");
}

const SMALLEST_PLAIN = 1e-4; // Python writes smaller numbers with an exponent of two digits

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`${value} cannot be written as JSON.`);
  if (value === 0 || Math.abs(value) >= SMALLEST_PLAIN) return String(value);
  return value.toExponential().replace(/e-(\d)$/, "e-0$1");
}
