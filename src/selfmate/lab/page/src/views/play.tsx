// The Play view: a game against a player, or one to watch.
import { useEffect, useState } from "preact/hooks";
import { linkTo, linkToGame, type Place } from "../place";
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

  async function open(choice: GameChoice): Promise<void> {
    if ((await attempt(() => current.open(choice))) !== null) setChoosing(false);
  }

  useEffect(() => {
    if (wanted === null) return;
    history.replaceState(null, "", linkTo("play")); // a reload continues the game
    setChoosing(true);
    void open(plainChoice(wanted));
  }, [wanted]);

  if (offers === null || current.isLoading) return <p class="quiet">Setting up the board ...</p>;
  if (current.game !== null && !isChoosing)
    return (
      <OpenGame
        key={current.opened}
        current={current}
        game={current.game}
        offers={offers}
        onOpen={open}
        onNew={() => setChoosing(true)}
        analysisLink={(shown) => analysisLink(current.game!, shown, current.choice)}
      />
    );
  return (
    <NewGame
      key={wanted}
      offers={offers}
      first={firstChoice(offers, wanted === null ? current.choice : plainChoice(wanted))}
      busy={busy}
      problem={problem}
      onPlay={open}
      onCancel={current.game !== null ? () => setChoosing(false) : null}
    />
  );
}

function analysisLink(game: GameData, shown: number, choice: GameChoice | null): string {
  const moves = game.moves.map((ply) => ply.move);
  return linkToGame(game.start.fen, moves, shown, choice?.player);
}
