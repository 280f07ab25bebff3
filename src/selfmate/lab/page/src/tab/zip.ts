// Zip archives: written without compression (weights do not shrink), read with or without.
// The format is PKWARE's APPNOTE; encryption, several volumes and zip64 are refused.
import type { NamedFile } from "./protocol";

const LOCAL = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
const LOCAL_BYTES = 30;
const ENTRY_BYTES = 46;
const END_BYTES = 22;
const MAX_COMMENT = 0xffff;
const VERSION = 20;
const UTF8 = 0x800;
const ENCRYPTED = 1;
const JANUARY_1980 = 0x21; // the first date there is: equal files make equal archives
const STORED = 0;
const DEFLATED = 8;
const MAX_FILE_BYTES = 256 * 2 ** 20;

export function zipped(files: NamedFile[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const entries: Uint8Array[] = [];
  let offset = 0;
  for (const { path, bytes } of files) {
    const name = new TextEncoder().encode(path);
    const about = [VERSION, UTF8, STORED, 0, JANUARY_1980];
    const sizes = [crc32(bytes), bytes.length, bytes.length];
    const local = record(
      [4, LOCAL],
      ...about.map(short),
      ...sizes.map(long),
      short(name.length),
      short(0),
    );
    const fields = [short(name.length), ...[0, 0, 0, 0].map(short), long(0), long(offset)];
    entries.push(
      record([4, ENTRY], short(VERSION), ...about.map(short), ...sizes.map(long), ...fields),
      name,
    );
    parts.push(local, name, bytes);
    offset += local.length + name.length + bytes.length;
  }
  const size = entries.reduce((sum, one) => sum + one.length, 0);
  const end = record(
    [4, END],
    short(0),
    short(0),
    short(files.length),
    short(files.length),
    long(size),
    long(offset),
    short(0),
  );
  return joined([...parts, ...entries, end]);
}

type Field = [bytes: 2 | 4, value: number];
const short = (value: number): Field => [2, value];
const long = (value: number): Field => [4, value];

function record(...fields: Field[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [size, value] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

function joined(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The files of an archive, without its folders; throws a sentence if it is damaged. */
export async function unzipped(archive: Uint8Array): Promise<NamedFile[]> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const files: NamedFile[] = [];
  try {
    const end = endOf(view);
    let at = view.getUint32(end + 16, true);
    for (let left = view.getUint16(end + 10, true); left > 0; left--) {
      const entry = entryAt(view, archive, at);
      at += entry.bytes;
      if (!entry.path.endsWith("/"))
        files.push({ path: entry.path, bytes: await contentOf(archive, view, entry) });
    }
  } catch (error) {
    if (error instanceof RangeError)
      throw new Error("This zip archive is damaged: it ends too early.");
    throw error;
  }
  return files;
}

function endOf(view: DataView): number {
  for (
    let at = view.byteLength - END_BYTES;
    at >= Math.max(0, view.byteLength - END_BYTES - MAX_COMMENT);
    at--
  )
    if (view.getUint32(at, true) === END) return at;
  throw new Error("This is not a zip archive, or its end is missing.");
}

type Entry = {
  path: string;
  bytes: number;
  method: number;
  crc: number;
  packed: number;
  size: number;
  local: number;
};

function entryAt(view: DataView, archive: Uint8Array, at: number): Entry {
  if (view.getUint32(at, true) !== ENTRY)
    throw new Error("This zip archive is damaged: its list of files cannot be read.");
  if (view.getUint16(at + 8, true) & ENCRYPTED) throw new Error("This zip archive is encrypted.");
  const [name, extra, comment] = [28, 30, 32].map((field) => view.getUint16(at + field, true)) as [
    number,
    number,
    number,
  ];
  const [crc, packed, size] = [16, 20, 24].map((field) => view.getUint32(at + field, true)) as [
    number,
    number,
    number,
  ];
  return {
    path: new TextDecoder().decode(archive.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + name)),
    bytes: ENTRY_BYTES + name + extra + comment,
    method: view.getUint16(at + 10, true),
    crc,
    packed,
    size,
    local: view.getUint32(at + 42, true),
  };
}

async function contentOf(archive: Uint8Array, view: DataView, entry: Entry): Promise<Uint8Array> {
  if (entry.size > MAX_FILE_BYTES)
    throw new Error(`${entry.path} in this zip archive is too large.`);
  const begin =
    entry.local +
    LOCAL_BYTES +
    view.getUint16(entry.local + 26, true) +
    view.getUint16(entry.local + 28, true);
  const packed = archive.subarray(begin, begin + entry.packed);
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new Error(
      `${entry.path} in this zip archive is compressed in a way that we do not read.`,
    );
  const content =
    entry.method === STORED ? packed : await decompressed(packed, "deflate-raw", entry.size);
  if (content.length !== entry.size || crc32(content) !== entry.crc)
    throw new Error(`${entry.path} in this zip archive is damaged.`);
  return content;
}

/** At most `size` bytes and a few more: a forged file may hold far more. */
export async function decompressed(
  packed: Uint8Array,
  format: "deflate-raw" | "gzip",
  size: number,
): Promise<Uint8Array> {
  const source = new Blob([packed as Uint8Array<ArrayBuffer>]).stream();
  const reader = source.pipeThrough(new DecompressionStream(format)).getReader();
  const parts: Uint8Array[] = [];
  try {
    for (let got = 0; got <= size;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      got += value.length;
    }
  } catch {
    return new Uint8Array(0); // which nobody takes for the file
  } finally {
    void reader.cancel().catch(() => null);
  }
  return joined(parts);
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 0xff]! ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
