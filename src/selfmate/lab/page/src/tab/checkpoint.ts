// A run's folder with one checkpoint, as `selfmate.runs` writes and reads it.
import type { Learner } from "./core";
import { crc32, decompressed, unzipped } from "./zip";
import { type HistoryRow } from "./history";
import type { NamedFile, TabSettings } from "./protocol";
import { canonical, configToml, type Json, oneLine, pretty } from "./python_json";
import { sha256 } from "./sha256";

const FOLDER = "selfmate-tab";
const WEIGHTS = "weights.safetensors";
const REST = "rest.safetensors";
const CARD = "card.json";
const MAX_CARD_BYTES = 4 * 2 ** 20;
const LEARNER = "reinforce";
const NET = "move_scorer";

type Config = Record<string, Json>;

/** All files of a run that `selfmate match`, `selfmate uci` and `--load` accept. It cannot be
 * resumed on the command line: the optimizer's state stays in the tab. */
export function runFolder(
  saved: ReturnType<Learner["save"]>,
  settings: TabSettings,
  rows: HistoryRow[],
): NamedFile[] {
  const { games_per_train: _, ...config } = settings;
  const step = rows.at(-1)?.step ?? 0;
  const done = rows.at(-1)?.done ?? 0;
  const metrics = text(
    rows
      .filter((row) => row.step > 0)
      .map(metricsLine)
      .join(""),
  );
  const files = { [REST]: emptyTensors(), [WEIGHTS]: saved.weights };
  const card = cardOf(
    config,
    JSON.parse(saved.card) as Config,
    { step, done, metrics_bytes: metrics.length },
    files,
  );
  const checkpoint = `checkpoints/${String(step).padStart(8, "0")}`;
  const updated = new Date().toISOString().replace("Z", "+00:00"); // as Python writes it
  const status = { state: "finished", step, done, total: done, unit: "games", updated };
  return [
    { path: "config.toml", bytes: text(configToml(LEARNER, config as Config)) },
    { path: "metrics.jsonl", bytes: metrics },
    { path: "status.json", bytes: text(pretty(status)) },
    { path: `${checkpoint}/${CARD}`, bytes: text(pretty(card)) },
    ...Object.entries(files).map(([name, bytes]) => ({ path: `${checkpoint}/${name}`, bytes })),
  ].map(({ path, bytes }) => ({ path: `${FOLDER}/${path}`, bytes }));
}

function cardOf(
  config: object,
  player: Config,
  progress: { step: number; done: number; metrics_bytes: number },
  files: Record<string, Uint8Array>,
): Config {
  const notes = Object.entries(files).map(([name, bytes]) => [
    name,
    { bytes: bytes.length, sha256: sha256(bytes) },
  ]);
  const fields: Config = {
    format: 1,
    learner: LEARNER,
    config: config as Config,
    run: digest({ learner: LEARNER, config: config as Config }),
    ...progress,
    total: progress.done,
    unit: "games",
    player,
    facts: {},
    best: null,
    files: Object.fromEntries(notes) as Config,
  };
  return { ...fields, sha256: digest(fields) };
}

function digest(value: Json): string {
  return sha256(text(canonical(value)));
}

function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

function metricsLine({ step, done, metrics }: HistoryRow): string {
  const line = oneLine({ step, games: done, ...metrics });
  const checksum = crc32(text(line)).toString(16).padStart(8, "0");
  return `${line.slice(0, -1)}, "crc32": "${checksum}"}\n`;
}

/** A safetensors file without tensors: the length of its header, and the header. */
function emptyTensors(): Uint8Array {
  const bytes = new Uint8Array(16).fill(" ".charCodeAt(0));
  new DataView(bytes.buffer).setBigUint64(0, 8n, true);
  bytes.set(text("{}"), 8);
  return bytes;
}

export type Found = {
  /** The net's configuration, as JSON. */
  player: string;
  weights: Uint8Array;
  config: Config;
  games: number;
};

/** The newest checkpoint among some files, which may be a zip archive, a run's folder, or a card
 * and its weights. Throws a sentence when there is none that can be used. */
export async function findCheckpoint(dropped: NamedFile[]): Promise<Found> {
  const unpacked = dropped.map((file) =>
    file.path.endsWith(".zip") ? unzipped(file.bytes) : [file],
  );
  const files = (await Promise.all(unpacked)).flat();
  const cards = files
    .filter(({ path }) => nameOf(path) === CARD)
    .map((file) => ({ file, card: readCard(file) }));
  const newest = cards.sort(
    (one, other) => Number(other.card["step"]) - Number(one.card["step"]),
  )[0];
  if (newest === undefined)
    throw new Error(
      `There is no ${CARD} among these files. Drop a run's folder, a checkpoint's folder, a zip archive of one, or ` +
        `${CARD} together with ${WEIGHTS}.`,
    );
  const { file, card } = newest;
  const player = table(card["player"]);
  if (player["kind"] !== NET)
    throw new Error(
      `This is a net of kind ${String(player["kind"] ?? "unknown").slice(0, 40)}. The tab continues those of ` +
        "`selfmate train reinforce` only.",
    );
  const weights = await weightsBeside(file.path, files, table(table(card["files"])[WEIGHTS]));
  const games = card["unit"] === "games" && typeof card["done"] === "number" ? card["done"] : 0;
  return { player: JSON.stringify(player), weights, config: table(card["config"]), games };
}

function readCard({ bytes }: NamedFile): Config {
  if (bytes.length > MAX_CARD_BYTES)
    throw new Error(`${CARD} is too large to be the card of a checkpoint.`);
  try {
    return table(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {
    throw new Error(`${CARD} is damaged: it is not JSON.`);
  }
}

async function weightsBeside(card: string, files: NamedFile[], note: Config): Promise<Uint8Array> {
  const folder = card.slice(0, card.length - CARD.length);
  const packed = typeof note["unpacked_bytes"] === "number" ? note["unpacked_bytes"] : null;
  const name = packed === null ? WEIGHTS : `${WEIGHTS}.gz`;
  const file = files.find(({ path }) => path === folder + name);
  if (file === undefined) throw new Error(`${name} is missing beside ${CARD}.`);
  if (file.bytes.length !== note["bytes"] || sha256(file.bytes) !== note["sha256"])
    throw new Error(`${name} is damaged: it is not the file that ${CARD} describes.`);
  return packed === null ? file.bytes : decompressed(file.bytes, "gzip", packed);
}

function table(value: unknown): Config {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Config)
    : {};
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
