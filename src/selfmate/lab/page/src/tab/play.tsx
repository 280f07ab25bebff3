// The Play view of the tab: a game against what was learned here, or against a net that ships.
import { useEffect, useState } from "preact/hooks";
import { linkTo, type Place } from "../place";
import { useAttempt } from "../problem";
import type { GameChoice } from "../views/play/game";
import { OpenGame } from "../views/play/open_game";
import { NewGame, plainChoice } from "../views/play/setup";
import { ask, useUpdate } from "./client";
import { LEARNED } from "./protocol";
import { useStarted } from "./started";

export function Play({ place }: { place: Place }) {
  const started = useStarted();
  const offers = useUpdate("offers")?.offers ?? started.offers;
  const update = useUpdate("game");
  const [opened, setOpened] = useState(0); // counts the games that were begun here
  const [isChoosing, setChoosing] = useState(false);
  const { problem, busy, attempt } = useAttempt();
  const wanted = place.settings.get("player");

  async function open(chosen: GameChoice): Promise<void> {
    if ((await attempt(() => ask("newGame", { choice: chosen }))) === null) return;
    setOpened((times) => times + 1);
    setChoosing(false);
  }

  useEffect(() => {
    if (wanted === null) return;
    history.replaceState(null, "", linkTo("play")); // a reload continues the game
    void open(plainChoice(wanted));
  }, [wanted]);

  if (update === null) return <p class="quiet">Setting up the board ...</p>;
  const { game, choice } = update;
  if (game !== null && !isChoosing)
    return (
      <OpenGame
        key={opened}
        current={{
          choice,
          act: (verb, body = {}) => ask("act", { verb, ...body }),
          hint: () => ask("hint"),
        }}
        game={game}
        offers={offers}
        onOpen={open}
        onNew={() => setChoosing(true)}
      />
    );
  return (
    <NewGame
      offers={offers}
      clocks={false}
      first={choice === null ? plainChoice(LEARNED) : { ...choice, fen: null }}
      busy={busy}
      problem={problem}
      onPlay={open}
      onCancel={game !== null ? () => setChoosing(false) : null}
    />
  );
}
