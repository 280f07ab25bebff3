// Files that somebody chose or dropped, folders included. Only what a checkpoint consists of is read.
import type { NamedFile } from "./protocol";

const WANTED = /(^|\/)(card\.json|weights\.safetensors(\.gz)?|[^/]*\.zip)$/;
const MAX_FILES = 500;
const MAX_BYTES = 512 * 2 ** 20;

/** A file, and where it was in a folder that was dropped. */
const paths = new WeakMap<File, string>();

export function filesOf(input: HTMLInputElement): File[] {
  return [...(input.files ?? [])];
}

export async function draggedFiles(transfer: DataTransfer): Promise<File[]> {
  // All must be taken before anything is awaited. What is no entry of a file system is a file.
  const taken = [...transfer.items].map((item) => ({
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
  }));
  const found = taken.map(({ entry, file }) =>
    entry !== null ? filesIn(entry) : file !== null ? [file] : [],
  );
  return (await Promise.all(found)).flat();
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (!entry.isDirectory) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    paths.set(file, entry.fullPath);
    return [file];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) break;
    found.push(...some);
    if (found.length > MAX_FILES)
      throw new Error("There are too many files in this folder: drop one run.");
  }
  return (await Promise.all(found.map(filesIn))).flat();
}

/** What may belong to a checkpoint; throws a sentence if it cannot be read. */
export async function readFiles(files: File[]): Promise<NamedFile[]> {
  const wanted = files.filter((file) => WANTED.test(pathOf(file)));
  if (files.length > 0 && wanted.length === 0)
    throw new Error(
      `${files[0]!.name.slice(0, 80)} is no checkpoint: that is a zip archive, or card.json with weights.safetensors.`,
    );
  if (wanted.reduce((sum, file) => sum + file.size, 0) > MAX_BYTES)
    throw new Error("These files are too large to be a checkpoint of the tab.");
  return Promise.all(
    wanted.map(async (file) => ({
      path: pathOf(file),
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}

function pathOf(file: File): string {
  return paths.get(file) ?? file.name;
}
