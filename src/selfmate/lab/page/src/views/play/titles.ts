// What players are called on the page.
import type { Color } from "chessgroundx/types";
import type { Offer } from "../../players";
import type { Choice, Game } from "./game";

export type Title = { name: string; detail: string };

export function titleOf(game: Game, choice: Choice | null, offers: Offer[], side: Color): Title {
  if (side === game.person) return { name: "You", detail: "" };
  const isOpponent = game.person === null && side === "black" && choice?.opponent;
  const chosen = isOpponent ? choice.opponent : choice?.player;
  const offer = offers.find((one) => one.strengths.some((strength) => strength.name === chosen));
  const strength = offer?.strengths.find((one) => one.name === chosen);
  if (offer === undefined || strength === undefined) return { name: game.names[side], detail: "" };
  return { name: offer.title, detail: offer.strengths.length > 1 ? strength.title : offer.about };
}
