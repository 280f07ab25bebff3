// A game's PGN, copied or downloaded.
import type { Game } from "./game";

export function copyPgn(game: Game): Promise<void> {
  return navigator.clipboard.writeText(game.pgn).catch(() => {
    throw new Error("The browser does not let us copy here; download the game instead.");
  });
}

export function downloadPgn(game: Game): void {
  const address = URL.createObjectURL(new Blob([game.pgn], { type: "application/x-chess-pgn" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName(game);
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Such as selfmate-2026-11-16-random.pgn */
function fileName(game: Game): string {
  const date = /\[Date "([\d.]+)"\]/.exec(game.pgn)?.[1]?.replaceAll(".", "-") ?? "game";
  const player = game.names[game.person === "white" ? "black" : "white"];
  return `selfmate-${date}-${player.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "")}.pgn`;
}
