// The Play view: a game against a player, or one to watch.
import { useEffect, useState } from "preact/hooks";
import { linkTo, linkToGame, linkToReview, type Place } from "../place";
import { useOffers } from "../players";
import { useAttempt } from "../problem";
import type { GameData } from "../types";
import { type GameChoice, useGame } from "./play/game";
import { OpenGame } from "./play/open_game";
import { firstChoice, NewGame, plainChoice } from "./play/setup";

export function Play({ place }: { place: Place }) {
  const current = useGame();
  const { problem, busy, attempt } = useAttempt();
  const [isChoosing, setChoosing] = useState(false);
  const offers = useOffers(isChoosing); // asks again: there may be new ones
  const wanted = place.settings.get("player");
  const linked = wanted === null ? null : linkedChoice(wanted, place.settings);

  async function open(choice: GameChoice): Promise<void> {
    if ((await attempt(() => current.open(choice))) !== null) setChoosing(false);
  }

  useEffect(() => {
    if (wanted === null) return;
    history.replaceState(null, "", linkTo("play")); // a reload continues the game
    setChoosing(true);
    void open(linked!);
  }, [place]);

  if (offers === null || current.isLoading) return <p class="quiet">Setting up the board ...</p>;
  if (current.game !== null && !isChoosing)
    return (
      <OpenGame
        key={current.opened}
        current={{ ...current, hasDraws: true }}
        game={current.game}
        offers={offers}
        onOpen={open}
        onNew={() => setChoosing(true)}
        analysisLink={(shown) => analysisLink(current.game!, shown, current.choice)}
        reviewLink={reviewLink(current.game, current.choice)}
      />
    );
  return (
    <NewGame
      key={wanted}
      offers={offers}
      first={firstChoice(offers, linked ?? current.choice)}
      busy={busy}
      problem={problem}
      onPlay={open}
      onCancel={current.game !== null ? () => setChoosing(false) : null}
    />
  );
}

/** A game that a link asks for, maybe from the middle of another. */
function linkedChoice(player: string, settings: URLSearchParams): GameChoice {
  const side = settings.get("side");
  const moves = (settings.get("moves") ?? "").split(" ").filter(Boolean);
  return {
    ...plainChoice(player),
    side: side === "black" || side === "random" || side === "watch" ? side : "white",
    fen: settings.get("fen"),
    ...(moves.length > 0 && { moves }),
  };
}

function reviewLink(game: GameData, choice: GameChoice | null): string {
  const moves = game.moves.map((ply) => ply.move);
  return linkToReview({
    fen: game.start.fen,
    moves,
    side: game.person,
    ...(choice !== null && { player: choice.player }),
  });
}

function analysisLink(game: GameData, shown: number, choice: GameChoice | null): string {
  const moves = game.moves.map((ply) => ply.move);
  return linkToGame(game.start.fen, moves, shown, choice?.player);
}
