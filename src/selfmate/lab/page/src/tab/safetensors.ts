// Arrays of floats by name, as safetensors: the length of a header, the header in JSON, the numbers.

export interface NamedArray {
  name: string;
  shape: number[];
  numbers: Float32Array;
}

export interface Tensors {
  arrays: NamedArray[];
  metadata: Record<string, string>;
}

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

const BYTES = 4; // of a float
const ALIGNMENT = 8; // of the numbers, which the header is padded to
const LENGTH_BYTES = 8;

export function writeTensors({ arrays, metadata }: Tensors): Uint8Array<ArrayBuffer> {
  const header: Record<string, Entry | Record<string, string>> = {};
  if (Object.keys(metadata).length) header["__metadata__"] = metadata;
  let end = 0;
  for (const { name, shape, numbers } of arrays) {
    header[name] = { dtype: "F32", shape, data_offsets: [end, end + numbers.byteLength] };
    end += numbers.byteLength;
  }
  const text = JSON.stringify(header);
  const size = new TextEncoder().encode(text).length;
  const padding = (ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT;
  const head = new TextEncoder().encode(text + " ".repeat(padding));
  const bytes = new Uint8Array(LENGTH_BYTES + head.length + end);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(head.length), true);
  bytes.set(head, LENGTH_BYTES);
  let at = LENGTH_BYTES + head.length;
  for (const { numbers } of arrays) {
    bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), at);
    at += numbers.byteLength;
  }
  return bytes;
}

/** Throws an Error with a sentence for a file that is damaged or of another kind. */
export function readTensors(bytes: Uint8Array): Tensors {
  const size = headerSize(bytes);
  const header = parseHeader(bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + size));
  const data = bytes.subarray(LENGTH_BYTES + size);
  const { __metadata__: metadata = {}, ...entries } = header;
  const arrays = Object.entries(entries).map(([name, entry]) => readArray(name, entry, data));
  return { arrays, metadata: metadata as Record<string, string> };
}

function headerSize(bytes: Uint8Array): number {
  if (bytes.length < LENGTH_BYTES) throw new Error("This is no safetensors file: it is too short.");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = Number(view.getBigUint64(0, true));
  if (size > bytes.length - LENGTH_BYTES)
    throw new Error("This is no safetensors file, or its end is missing.");
  return size;
}

function parseHeader(bytes: Uint8Array): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof header === "object" && header !== null && !Array.isArray(header))
      return header as Record<string, unknown>;
  } catch {
    // said below
  }
  throw new Error("This is no safetensors file: its header cannot be read.");
}

function readArray(name: string, given: unknown, data: Uint8Array): NamedArray {
  const { dtype, shape, data_offsets: offsets } = given as Partial<Entry>;
  if (dtype !== "F32") throw new Error(`The weight ${name} is of type ${dtype}, not of F32.`);
  const isWhole = (number: unknown) => Number.isSafeInteger(number) && (number as number) >= 0;
  if (!Array.isArray(shape) || !shape.every(isWhole) || !Array.isArray(offsets))
    throw new Error(`The weight ${name} has no shape.`);
  const [begin, end] = offsets;
  const count = shape.reduce((product, extent) => product * extent, 1);
  if (!isWhole(begin) || !isWhole(end) || end > data.length || end - begin !== BYTES * count)
    throw new Error(`The numbers of the weight ${name} are not all in the file.`);
  return { name, shape, numbers: new Float32Array(data.slice(begin, end).buffer) };
}
