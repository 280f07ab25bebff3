// The Review view: a game evaluated move by move, and the moves that lost most.
import type { Color } from "chessgroundx/types";
import { useEffect, useState } from "preact/hooks";
import { post } from "../api";
import { Board } from "../board";
import { playerTitle } from "../format";
import { Moves, Steps, useStepKeys } from "../moves";
import { linkTo, linkToGame, type Place } from "../place";
import { Problem, useAttempt } from "../problem";
import { useConnection, useTopic } from "../topics";
import type { ReviewData, ReviewedPosition } from "../types";
import "./review.css";
import { PointsGraph } from "./review/graph";
import { MoveReview, SideTable } from "./review/verdict";
import { turnOf } from "./play/game";

export function Review({ place }: { place: Place }) {
  const { review, problem } = useReview(place.settings);
  const [shown, setShown] = useState(Number(place.settings.get("ply") ?? 0));
  const [flipped, setFlipped] = useState(place.settings.get("side") === "black");
  const last = (review?.positions.length ?? 1) - 1;
  const go = (to: number) => setShown(Math.max(0, Math.min(to, last)));
  useStepKeys((by) => go(shown + by));
  if (review === null)
    return problem === null ? <p class="quiet">Setting up the board ...</p> : <Problem text={problem} />;
  if (last === 0)
    return (
      <p>
        There is no game to review. <a href={linkTo("play")}>Play one</a>, or paste one into{" "}
        <a href={linkTo("analyse")}>Analyse</a> and press Review there.
      </p>
    );
  const at = Math.min(shown, last);
  const side = sideOf(place.settings.get("side"));
  const marked = markedMoves(review.positions, side);
  return (
    <div class="review">
      <div class="table">
        <ReviewBoard review={review} shown={at} flipped={flipped} />
        <Steps shown={at} last={last} onStep={(by) => go(at + by)} />
        <div class="line">
          <button type="button" onClick={() => setFlipped(!flipped)}>
            Flip
          </button>
          <button type="button" disabled={marked.moves.length === 0} onClick={() => go(nextOf(marked.moves, at))}>
            {marked.areOwn ? "Your next mistake" : "Next mistake"}
          </button>
          <a class="button" href={linkToGame(review.positions[0]!.fen, movesOf(review), at)}>
            Analyse
          </a>
        </div>
      </div>
      <div class="findings">
        <h1>Review</h1>
        <p class="quiet" role="status">
          {progressText(review)}
        </p>
        <Problem text={problem ?? review.problem} />
        <PointsGraph positions={review.positions} shown={at} onGo={go} />
        <MoveReview review={review} shown={at} tryAgain={at > 0 ? againLink(review, at, place) : null} />
        <SideTable review={review} side={side} />
        {review.opening !== null && <p class="opening">{review.opening}</p>}
        <Moves
          start={review.positions[0]!.fen}
          sans={review.positions.slice(1).map((one) => one.san!)}
          shown={at}
          marks={marksOf(review.positions)}
          empty="The game has no moves."
          onGo={go}
        />
      </div>
    </div>
  );
}

/** The review of a link's game. A lab that was restarted is asked again. */
function useReview(link: URLSearchParams) {
  const [opened, setOpened] = useState<ReviewData | null>(null);
  const { problem, attempt } = useAttempt();
  const { data, error } = useTopic<ReviewData>(opened === null ? null : `review:${opened.id}`);
  const start = link.get("fen");
  const moves = link.get("moves") ?? "";
  const isGone = error !== null;
  const connection = useConnection();
  useEffect(() => {
    const line = { start, moves: moves.split(" ").filter(Boolean) };
    void attempt(async () => setOpened(await post<ReviewData>("reviews", line)));
  }, [start, moves, isGone, connection === "open"]);
  return { review: data ?? opened, problem };
}

function ReviewBoard({ review, shown, flipped }: { review: ReviewData; shown: number; flipped: boolean }) {
  const position = review.positions[shown]!;
  const before = review.positions[shown - 1];
  const { move } = position;
  const better = before?.best && before.best.move !== move ? before.best.move : null;
  const arrows = better === null ? [] : [{ from: better.slice(0, 2), to: better.slice(2, 4), brush: "green", width: 10 }];
  return (
    <Board
      fen={position.fen}
      turn={turnOf(position.fen)}
      check={position.check}
      lastMove={move === null ? null : [move.slice(0, 2), move.slice(2, 4)]}
      orientation={flipped ? "black" : "white"}
      arrows={arrows}
      label={`Position after ${position.san ?? "the start"}`}
    />
  );
}

function progressText({ by: name, done, positions }: ReviewData): string {
  const by = playerTitle(name);
  if (done === positions.length) return `Evaluated by ${by}.`;
  return `${by} has evaluated ${done} of ${positions.length} positions ...`;
}

function movesOf(review: ReviewData): string[] {
  return review.positions.slice(1).map((one) => one.move!);
}

function marksOf(positions: ReviewedPosition[]): Map<number, string> {
  return new Map(positions.flatMap((one, at) => (one.mark === null ? [] : [[at, one.mark] as const])));
}

function sideOf(text: string | null): Color | null {
  return text === "white" || text === "black" ? text : null;
}

/** What Next mistake leads to: the reader's own moves if some of them are marked, else everybody's. */
function markedMoves(positions: ReviewedPosition[], side: Color | null): { moves: number[]; areOwn: boolean } {
  const all = [...marksOf(positions).keys()];
  const own = all.filter((at) => turnOf(positions[at - 1]!.fen) === side);
  return own.length > 0 ? { moves: own, areOwn: true } : { moves: all, areOwn: false };
}

/** The next move after one that is shown, from the start again after the last. */
function nextOf(moves: number[], shown: number): number {
  return moves.find((at) => at > shown) ?? moves[0] ?? shown;
}

const EVEN_OPPONENT = "teacher:depth=2";

/** A game from the position before a move, as who made it. */
function againLink(review: ReviewData, shown: number, place: Place): string {
  const before = review.positions[shown - 1]!;
  return linkTo("play", {
    player: place.settings.get("player") ?? EVEN_OPPONENT,
    side: turnOf(before.fen),
    fen: review.positions[0]!.fen,
    moves: movesOf(review).slice(0, shown - 1).join(" "),
  });
}
