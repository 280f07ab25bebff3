// Play: a game against a player, or one to watch.
import type { Color } from "chessgroundx/types";
import { useEffect, useState } from "preact/hooks";
import { type Arrow, Board } from "../board";
import { linkTo, linkToGame, type Place } from "../place";
import { useOffers } from "../players";
import { useAttempt } from "../problem";
import { TypedMove } from "../typed_move";
import { Controls, WatchControls } from "./play/controls";
import { type Choice, type Game, opposite } from "./play/game";
import { Panel } from "./play/panel";
import { firstChoice, plainChoice, Setup } from "./play/setup";
import { Table } from "./play/table";
import { arrowsOf, thoughtAt } from "./play/thinking";
import { titleOf } from "./play/titles";
import { useBrowsing } from "./play/use_browsing";
import { type GameInHand, type Hint, useGame } from "./play/use_game";
import { useWatching } from "./play/use_watching";
import "./play.css";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

export function Play({ place }: { place: Place }) {
  const hand = useGame();
  const { problem, busy, attempt } = useAttempt();
  const [isChoosing, setChoosing] = useState(false);
  const offers = useOffers(isChoosing); // there may be newer ones
  const wanted = place.settings.get("player");

  async function open(choice: Choice): Promise<void> {
    if ((await attempt(() => hand.open(choice))) !== null) setChoosing(false);
  }

  useEffect(() => {
    if (wanted === null) return;
    history.replaceState(null, "", linkTo("play")); // a reload goes on with the game
    setChoosing(true);
    void open(plainChoice(wanted));
  }, [wanted]);

  if (offers === null || hand.isAwaited) return <p class="quiet">Setting up the board ...</p>;
  if (hand.game !== null && !isChoosing)
    return (
      <OpenGame
        key={hand.opened}
        hand={hand}
        game={hand.game}
        offers={offers}
        onOpen={open}
        onNew={() => setChoosing(true)}
      />
    );
  return (
    <div class="play">
      <section class="table" aria-label="Board">
        <div class="strip" />
        <Board fen={START} label="Chess board at the start of a game" />
        <div class="strip" />
      </section>
      <Setup
        key={wanted}
        offers={offers}
        first={firstChoice(offers, wanted === null ? hand.choice : plainChoice(wanted))}
        busy={busy}
        problem={problem}
        onPlay={open}
        onCancel={hand.game !== null ? () => setChoosing(false) : null}
      />
    </div>
  );
}

type OpenGameProps = {
  hand: GameInHand;
  game: Game;
  offers: NonNullable<ReturnType<typeof useOffers>>;
  onOpen: (choice: Choice) => Promise<void>;
  onNew: () => void;
};

function OpenGame({ hand, game, offers, onOpen, onNew }: OpenGameProps) {
  const { problem, busy, attempt, complain } = useAttempt();
  const browsing = useBrowsing(game);
  const [flipped, setFlipped] = useState(false);
  const [showsThoughts, setShowsThoughts] = useState(false);
  const [hint, setHint] = useState<Hint | null>(null);
  const act = (verb: string, body: object = {}) => attempt(() => hand.act(verb, body));
  const watching = useWatching(game, () => void act("step"));
  const side = game.person ?? "white";
  const given = hint?.plies === game.moves.length && browsing.isNow ? hint : null;
  const thought = showsThoughts ? thoughtAt(game, browsing.shown)?.thought : null;
  const titles = {
    white: titleOf(game, hand.choice, offers, "white"),
    black: titleOf(game, hand.choice, offers, "black"),
  };
  const again = (next: Color | "watch") => onOpen({ ...hand.choice!, side: next });
  const move = async (made: string) => {
    browsing.follow();
    return (await act("move", { move: made })) !== null;
  };
  return (
    <div class="play">
      <Table
        game={game}
        shown={browsing.shown}
        orientation={flipped ? opposite(side) : side}
        arrows={given ? [arrowOf(given)] : thought ? arrowsOf(thought) : []}
        titles={titles}
        onMove={move}
      />
      <Panel
        game={game}
        shown={browsing.shown}
        titles={titles}
        showsThoughts={showsThoughts}
        hint={given && wordsOf(given, titles[opposite(side)].name, given.by === game.names[opposite(side)])}
        problem={problem}
        onGo={browsing.go}
        onStep={browsing.step}
        onShowThoughts={setShowsThoughts}
        onAgain={() => again(game.person ?? "watch")}
        onOtherColour={() => again(opposite(side))}
        onRetry={() => void act("step")}
      >
        {game.end === null && game.person === null && (
          <WatchControls watching={watching} onStep={() => void act("step")} />
        )}
        {game.end === null && game.person !== null && (
          <TypedMove legal={game.legal} disabled={game.turn !== game.person} onMove={move} />
        )}
        <Controls
          game={game}
          busy={busy}
          onHint={() => void attempt(async () => setHint(await hand.hint()))}
          onBack={() => void act("back")}
          onFlip={() => setFlipped(!flipped)}
          onResign={() => void act("resign")}
          onNew={onNew}
          analysis={analysisOf(game, browsing.shown, hand.choice)}
          onProblem={complain}
        />
      </Panel>
    </div>
  );
}

function analysisOf(game: Game, shown: number, choice: Choice | null): string {
  const moves = game.moves.map((ply) => ply.move);
  return linkToGame(game.start.fen, moves, shown, choice?.player);
}

/** The player itself has a title; else it was the teacher. */
function wordsOf(hint: Hint, player: string, isPlayer: boolean): string {
  const judged = hint.judgement === null ? "" : ` (${hint.judgement})`;
  return `${isPlayer ? player : "The teacher"} would play ${hint.san}${judged}.`;
}

function arrowOf(hint: Hint): Arrow {
  return { from: hint.move.slice(0, 2), to: hint.move.slice(2, 4), brush: "yellow", width: 12 };
}
