// What a match says, in words.
import type { GameRow, Report } from "./types";

export function counted(many: number, one: string, more = `${one}s`): string {
  return `${many} ${many === 1 ? one : more}`;
}

export function scoreText({ wins, draws, losses }: Pick<Report, "wins" | "draws" | "losses">) {
  const lost = counted(losses, "loss", "losses");
  return [counted(wins, "win"), counted(draws, "draw"), lost].join(", ");
}

export function signed(elo: number): string {
  const rounded = Math.round(elo);
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : "0";
}

/** Elo of the first player above the second. */
export function eloText({ games, elo, elo_low, elo_high }: Report): string {
  if (games === 0) return "No game has ended yet.";
  const sure = "with 95 % confidence";
  if (elo !== null && elo_low !== null && elo_high !== null)
    return `${signed(elo)} Elo, between ${signed(elo_low)} and ${signed(elo_high)} ${sure}`;
  if (elo_low !== null) return `More than ${signed(elo_low)} Elo ${sure}: every game was won`;
  if (elo_high !== null) return `Less than ${signed(elo_high)} Elo ${sure}: every game was lost`;
  return "";
}

const FEW_GAMES = 6;

/** Who is stronger, for those who do not read Elo. */
export function verdict({ games, los }: Report, a: string, b: string): string {
  if (games < FEW_GAMES) return "Too early to say who is stronger.";
  const [leader, sure] = los >= 0.5 ? [a, los] : [b, 1 - los];
  if (sure > 0.975) return `${leader} is stronger, almost certainly.`;
  if (sure > 0.9) return `${leader} is probably stronger.`;
  return "Too close to call: it could be chance.";
}

/** Whether the first player has White. */
export function firstIsWhite(number: number): boolean {
  return number % 2 === 0;
}

export function gameText(game: GameRow): string {
  const reason = game.reason === "ply limit" ? "cut at the ply limit" : game.reason;
  const how = game.forfeit ? `forfeit: ${reason}` : reason;
  return `${how}, ${counted(Math.ceil(game.plies / 2), "move")}`;
}

export function outcomeOf(game: GameRow): "won" | "drawn" | "lost" {
  return game.points === 1 ? "won" : game.points === 0 ? "lost" : "drawn";
}
