// Numbers, results and names of players as people read them.

export function decimal(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en");
  if (size < 0.001) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** For an axis: 0.25, 2500, 100K, 1.5M, 2e-4. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 10_000) return COMPACT.format(value);
  if (size > 0 && size < 0.001) return value.toExponential(0);
  return String(Number(value.toPrecision(4)));
}

export function whole(value: number): string {
  return value.toLocaleString("en");
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
}

const UNITS: [number, string][] = [
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** Two units at most: 8 s, 2 min 5 s, 3 h 20 min. */
export function duration(seconds: number): string {
  const rounded = Math.round(seconds);
  const at = UNITS.findIndex(([size]) => rounded >= size);
  if (at < 0) return "0 s";
  const [size, unit] = UNITS[at]!;
  const first = `${Math.floor(rounded / size)} ${unit}`;
  const smaller = UNITS[at + 1];
  const rest = smaller === undefined ? 0 : Math.floor((rounded % size) / smaller[0]);
  return smaller === undefined || rest === 0 ? first : `${first} ${rest} ${smaller[1]}`;
}

const MAX_DAYS_LEFT = 30;
// Up to how many seconds a time left is rounded to what.
const ROUNDED: [number, number][] = [
  [60, 10],
  [600, 60],
  [3600, 300],
  [Infinity, 3600],
];

/** An estimate, as exact as it can be: "about 40 s left", "about 4 min left", "about 3 h left". */
export function timeLeft(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "time left unknown yet";
  if (seconds < 5) return "a few seconds left";
  const days = seconds / 86400;
  if (days >= MAX_DAYS_LEFT) return `more than ${MAX_DAYS_LEFT} days left`;
  if (days >= 1.5) return `about ${Math.round(days)} days left`;
  const [, size] = ROUNDED.find(([limit]) => seconds < limit)!;
  return `about ${duration(Math.max(1, Math.round(seconds / size)) * size)} left`;
}

/** "1 – 0", "½ – ½" */
export function resultText(result: string): string {
  return result.replaceAll("1/2", "½").replace("-", " – ");
}

const SINGULARS: Record<string, string> = { plies: "ply", losses: "loss" };

/** "1 game", "50 games": units are named in the plural. */
export function count(number: number, unit: string): string {
  const one = SINGULARS[unit] ?? unit.replace(/s$/, "");
  return `${whole(number)} ${number === 1 ? one : unit}`;
}

const RUNS = "runs/";

/** `teacher:depth=1` is "Teacher, depth 1", `runs/x:version=5` is "x, version 5"; nets keep their names. */
export function playerTitle(name: string): string {
  const colon = name.lastIndexOf(":");
  const hasSettings = colon > 0 && name.includes("=", colon);
  const kind = hasSettings ? name.slice(0, colon) : name;
  const title = kind.startsWith(RUNS) ? kind.slice(RUNS.length) : titled(kind);
  const settings = hasSettings ? name.slice(colon + 1).split(",") : [];
  return [title, ...settings.map(inWords)].join(", ");
}

function titled(kind: string): string {
  return kind.includes("-") ? kind : kind[0]?.toUpperCase() + kind.slice(1);
}

function inWords(setting: string): string {
  const [key = "", value = ""] = setting.split("=");
  if (key === "random") return `${value} % random moves`;
  if (key === "sims" && value === "0") return "no search";
  if (key === "sims" || key === "nodes") return `${whole(Number(value))} ${key}`;
  return `${key === "elo" ? "Elo" : key} ${value}`;
}

/** A rating: 1505, −166 */
export function elo(rating: number): string {
  const rounded = Math.round(rating);
  return rounded < 0 ? `−${-rounded}` : String(rounded);
}

/** +35, −12 or 0 */
export function signed(value: number): string {
  const rounded = Math.round(value);
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : "0";
}
