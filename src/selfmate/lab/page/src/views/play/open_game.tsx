// A game on its board, with its panel and all that can be done with it.
import type { Color } from "chessgroundx/types";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Arrow } from "../../board";
import { TypedMove, useStepKeys } from "../../moves";
import { useAttempt } from "../../problem";
import { play } from "../../sound";
import type { GameData, GameHint, Offer } from "../../types";
import "../play.css";
import { GameBoard, titleOf } from "./board";
import { Controls, useWatching, WatchControls } from "./controls";
import { type GameChoice, opposite } from "./game";
import { arrowsOf, moveWithAnalysis, Panel } from "./panel";

/** What can be asked of a game, wherever it is kept. */
export type OpenedGame = {
  choice: GameChoice | null;
  act: (verb: string, body?: object) => Promise<GameData>;
  hint: () => Promise<GameHint>;
  /** Whether draws can be offered. */
  hasDraws?: boolean;
};

type OpenGameProps = {
  current: OpenedGame;
  game: GameData;
  offers: Offer[];
  onOpen: (choice: GameChoice) => Promise<void>;
  onNew: () => void;
  /** To the game after so many moves in the Analyse view, where there is one. */
  analysisLink?: (shown: number) => string;
  /** To the review of the game, where there is one. */
  reviewLink?: string;
};

export function OpenGame(props: OpenGameProps) {
  const { current, game, offers, onOpen, onNew, analysisLink, reviewLink } = props;
  const { problem, busy, attempt, complain } = useAttempt();
  const browsing = useBrowsing(game);
  const [flipped, setFlipped] = useState(false);
  const [showsAnalysis, setShowsAnalysis] = useState(false);
  const [hint, setHint] = useState<GameHint | null>(null);
  const act = (verb: string, body: object = {}) => attempt(() => current.act(verb, body));
  const watching = useWatching(game, () => void act("step"));
  useSounds(game);
  const side = game.person ?? "white";
  const given = hint?.plies === game.moves.length && browsing.isNow ? hint : null;
  const analysed = showsAnalysis ? moveWithAnalysis(game, browsing.shown) : null;
  const analysis = analysed === game.moves[browsing.shown - 1] ? analysed?.analysis : null;
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
        reviewLink={game.moves.length > 0 ? reviewLink : undefined}
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
          onDraw={current.hasDraws ? () => void act("draw") : undefined}
          onResign={() => void act("resign")}
          onNew={onNew}
          analysisLink={analysisLink?.(browsing.shown)}
          onProblem={complain}
        />
      </Panel>
    </div>
  );
}

/** A sound for each new move, where they are switched on. */
function useSounds(game: GameData): void {
  const heard = useRef(game.moves.length);
  useEffect(() => {
    const last = game.moves.at(-1);
    const isNew = game.moves.length > heard.current;
    heard.current = game.moves.length;
    if (game.end !== null && isNew) play("end");
    else if (isNew && last) play(last.check ? "check" : last.san.includes("x") ? "capture" : "move");
  }, [game.moves.length, game.end === null]);
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
