// A game as PGN, as `selfmate.rules.pgn` writes it.

import { START_FEN } from "./core";

const TEXT_WIDTH = 79;

export function pgnOf(
  tags: Record<string, string>,
  start: string,
  sans: string[],
  result: string,
): string {
  const setup: Record<string, string> = start === START_FEN ? {} : { SetUp: "1", FEN: start };
  const all = { ...tags, Result: result, ...setup };
  const lines = Object.entries(all).map(([name, value]) => `[${name} "${escaped(value)}"]\n`);
  return `${lines.join("")}\n${movetext(start, sans, result)}`;
}

function escaped(value: string): string {
  return value.replace(/[\\"]/g, (sign) => `\\${sign}`);
}

function movetext(start: string, sans: string[], result: string): string {
  const [, side, , , , first = "1"] = start.split(" ");
  const offset = side === "b" ? 1 : 0;
  const words = sans.flatMap((san, at) => {
    const number = Number(first) + Math.floor((at + offset) / 2);
    if ((at + offset) % 2 === 0) return [`${number}.`, san];
    return at === 0 ? [`${number}...`, san] : [san];
  });
  return wrapped([...words, result]);
}

function wrapped(words: string[]): string {
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    if (line !== "" && line.length + 1 + word.length > TEXT_WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return `${[...lines, line].join("\n")}\n`;
}
