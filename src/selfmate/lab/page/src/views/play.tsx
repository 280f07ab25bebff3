// The Play view: a game against a player, or one to watch.
import type { Color } from "chessgroundx/types";
import { useEffect, useState } from "preact/hooks";
import { type Arrow, Board } from "../board";
import { TypedMove, useStepKeys } from "../moves";
import { linkTo, linkToGame, type Place } from "../place";
import { useOffers } from "../players";
import { useAttempt } from "../problem";
import type { GameData, GameHint, Offer } from "../types";
import "./play.css";
import { GameBoard, titleOf } from "./play/board";
import { Controls, useWatching, WatchControls } from "./play/controls";
import { type CurrentGame, type GameChoice, opposite, useGame } from "./play/game";
import { arrowsOf, moveWithAnalysis, Panel } from "./play/panel";
import { firstChoice, plainChoice, Setup } from "./play/setup";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

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
        first={firstChoice(offers, wanted === null ? current.choice : plainChoice(wanted))}
        busy={busy}
        problem={problem}
        onPlay={open}
        onCancel={current.game !== null ? () => setChoosing(false) : null}
      />
    </div>
  );
}

type OpenGameProps = {
  current: CurrentGame;
  game: GameData;
  offers: Offer[];
  onOpen: (choice: GameChoice) => Promise<void>;
  onNew: () => void;
};

function OpenGame({ current, game, offers, onOpen, onNew }: OpenGameProps) {
  const { problem, busy, attempt, complain } = useAttempt();
  const browsing = useBrowsing(game);
  const [flipped, setFlipped] = useState(false);
  const [showsAnalysis, setShowsAnalysis] = useState(false);
  const [hint, setHint] = useState<GameHint | null>(null);
  const act = (verb: string, body: object = {}) => attempt(() => current.act(verb, body));
  const watching = useWatching(game, () => void act("step"));
  const side = game.person ?? "white";
  const given = hint?.plies === game.moves.length && browsing.isNow ? hint : null;
  const analysis = showsAnalysis ? moveWithAnalysis(game, browsing.shown)?.analysis : null;
  const titles = {
    white: titleOf(game, current.choice, offers, "white"),
    black: titleOf(game, current.choice, offers, "black"),
  };
  const again = (next: Color | "watch") => onOpen({ ...current.choice!, side: next });
  const makeMove = async (made: string) => {
    browsing.follow();
    return (await act("move", { move: made })) !== null;
  };
  return (
    <div class="play">
      <GameBoard
        game={game}
        shown={browsing.shown}
        orientation={flipped ? opposite(side) : side}
        arrows={given ? [arrowOf(given)] : analysis ? arrowsOf(analysis) : []}
        titles={titles}
        onMove={makeMove}
      />
      <Panel
        game={game}
        shown={browsing.shown}
        titles={titles}
        showsAnalysis={showsAnalysis}
        hint={given && hintText(given, titles[opposite(side)].name, given.by === game.names[opposite(side)])}
        problem={problem}
        onGo={browsing.go}
        onStep={browsing.step}
        onShowAnalysis={setShowsAnalysis}
        onAgain={() => again(game.person ?? "watch")}
        onOtherColour={() => again(opposite(side))}
        onRetry={() => void act("step")}
      >
        {game.end === null && game.person === null && (
          <WatchControls watching={watching} onStep={() => void act("step")} />
        )}
        {game.end === null && game.person !== null && (
          <TypedMove legal={game.legal} disabled={game.turn !== game.person} onMove={makeMove} />
        )}
        <Controls
          game={game}
          busy={busy}
          onHint={() => void attempt(async () => setHint(await current.hint()))}
          onBack={() => void act("back")}
          onFlip={() => setFlipped(!flipped)}
          onResign={() => void act("resign")}
          onNew={onNew}
          analysisLink={analysisLink(game, browsing.shown, current.choice)}
          onProblem={complain}
        />
      </Panel>
    </div>
  );
}

function analysisLink(game: GameData, shown: number, choice: GameChoice | null): string {
  const moves = game.moves.map((ply) => ply.move);
  return linkToGame(game.start.fen, moves, shown, choice?.player);
}

/** A hint of the player itself, or else of the teacher. */
function hintText(hint: GameHint, player: string, isPlayer: boolean): string {
  const judged = hint.judgement === null ? "" : ` (${hint.judgement})`;
  return `${isPlayer ? player : "The teacher"} would play ${hint.san}${judged}.`;
}

function arrowOf(hint: GameHint): Arrow {
  return { from: hint.move.slice(0, 2), to: hint.move.slice(2, 4), brush: "yellow", width: 12 };
}

/** `shown` is how many moves of the game are on the board. */
function useBrowsing(game: GameData) {
  const [at, setAt] = useState<number | null>(null); // null follows the game
  const last = game.moves.length;
  const shown = Math.min(at ?? last, last);
  const bounded = (to: number) => (to >= last ? null : Math.max(0, to));
  const step = (by: number) => setAt((now) => bounded((now ?? last) + by));
  useStepKeys(step);
  return {
    shown,
    isNow: shown === last,
    go: (to: number) => setAt(bounded(to)),
    step,
    follow: () => setAt(null),
  };
}
