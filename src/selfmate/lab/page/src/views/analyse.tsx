// The Analyse view: any position, and the analyses of several players side by side.
import { useState } from "preact/hooks";
import { type Arrow, Board, Promotion } from "../board";
import { Moves, Steps, TypedMove, useStepKeys } from "../moves";
import { linkToReview, type Place } from "../place";
import { useOffers } from "../players";
import { Problem } from "../problem";
import type { PositionAnalysis, PositionData } from "../types";
import "./analyse.css";
import { Card } from "./analyse/card";
import { Paste } from "./analyse/paste";
import { COLOURS, usePlayers } from "./analyse/players";
import { Editor } from "./analyse/editor";
import { isInGame, useAddress, usePosition } from "./analyse/position";
import { hasVariations } from "./analyse/tree";
import { TreeMoves } from "./analyse/tree_moves";

export function Analyse({ place }: { place: Place }) {
  const offers = useOffers();
  const analysed = usePosition(place.settings);
  const { position, root, path, pasted, game, problem, read, open, move, goTo, step, backToGame } = analysed;
  const { players, add, remove, choose, setAnalysis } = usePlayers(
    place.settings.getAll("player"),
    offers,
  );
  const [flipped, flip] = useState(false);
  const [isEditing, setEditing] = useState(false);
  useStepKeys(step);
  useAddress(position, root, path, players.map((one) => one.name));
  if (position === null || offers === null) return <p class="quiet">Setting up the board ...</p>;
  const arrows = players.flatMap(({ analysis, colour }) =>
    analysis === null ? [] : arrowsOf(analysis, COLOURS[colour]!),
  );
  if (isEditing)
    return (
      <Editor
        fen={position.fen}
        flipped={flipped}
        onCancel={() => setEditing(false)}
        onUse={async (fen) => (await read(fen)) && setEditing(false)}
      >
        <Problem text={problem} />
      </Editor>
    );
  return (
    <div class="analyse">
      <div class="table">
        <AnalysisBoard position={position} flipped={flipped} arrows={arrows} onMove={move} />
        <Steps shown={position.ply} last={position.moves.length} onStep={step} />
        <p class="ending" role="status">
          {position.ending ?? `${position.turn === "white" ? "White" : "Black"} to move.`}
        </p>
        <div class="line under-board">
          <TypedMove legal={position.legal} disabled={position.ending !== null} onMove={move} />
          <button onClick={() => flip(!flipped)}>Flip</button>
          <button onClick={() => setEditing(true)}>Edit board</button>
        </div>
        <Problem text={problem} />
        {position.opening !== null && <p class="opening">{position.opening}</p>}
        {hasVariations(root) ? (
          <TreeMoves start={position.start} root={root} current={path.at(-1) ?? null} onGo={analysed.goToNode} />
        ) : (
          <Moves
            start={position.start}
            sans={position.sans}
            shown={position.ply}
            empty="No moves yet. Move a piece, or paste a game."
            onGo={goTo}
          />
        )}
        <div class="line">
          {path.length > 0 && <button onClick={analysed.remove}>Remove from here</button>}
          {hasVariations(root) && <button onClick={analysed.promote}>Make main line</button>}
          {path.length > 0 && <a class="button" href={reviewLink(position)}>Review</a>}
          <CopyLink />
        </div>
        {game !== null && !isInGame(position, game) && (
          <button onClick={backToGame}>Back to the game</button>
        )}
      </div>
      <div class="input">
        <label>
          <span>This position as FEN</span>
          <input readOnly value={position.fen} onFocus={(event) => event.currentTarget.select()} />
        </label>
        <Paste pasted={pasted} game={game} onRead={read} onOpen={open} />
      </div>
      <div class="opinions">
        <h1>Analyses</h1>
        <p class="quiet">
          Bars and arrows show the moves that each player prefers, each player in its own colour.
        </p>
        {players.map((player, at) => (
          <Card
            key={player.key}
            position={position}
            offers={offers}
            player={player.name}
            colour={COLOURS[player.colour]!}
            number={at + 1}
            onChoose={(name) => choose(player.key, name)}
            onRemove={() => remove(player.key)}
            onAnalysis={(analysis) => setAnalysis(player.key, analysis)}
            onMove={move}
          />
        ))}
        {players.length < COLOURS.length && <button onClick={add}>Add a player</button>}
      </div>
    </div>
  );
}

function reviewLink({ start, moves, ply }: PositionData): string {
  return linkToReview({ fen: start, moves, ply });
}

/** The address without the token, which the page removes when it is opened. */
function CopyLink() {
  const [copied, setCopied] = useState("");
  const copy = () =>
    navigator.clipboard.writeText(location.href).then(
      () => setCopied(location.href),
      () => setCopied(""),
    );
  return <button onClick={copy}>{copied === location.href ? "Copied" : "Copy link"}</button>;
}

const MIN_PROBABILITY = 0.05; // less likely moves get no arrow

type AnalysisBoardProps = {
  position: PositionData;
  flipped: boolean;
  arrows: Arrow[];
  onMove: (uci: string) => void;
};

function AnalysisBoard({ position, flipped, arrows, onMove }: AnalysisBoardProps) {
  const [promoting, setPromoting] = useState<string | null>(null);
  const last = position.moves[position.ply - 1];
  const chosen = promoting !== null && position.promotions.includes(promoting) ? promoting : null;
  const orientation = flipped ? "black" : "white";
  return (
    <div class="analysis-board">
      <Board
        fen={position.fen}
        turn={position.turn}
        orientation={orientation}
        check={position.check}
        lastMove={last ? [last.slice(0, 2), last.slice(2, 4)] : null}
        moves={position.destinations}
        arrows={arrows}
        label={`Position: ${position.fen}`}
        onMove={(from, to) =>
          position.promotions.includes(from + to) ? setPromoting(from + to) : onMove(from + to)
        }
      />
      {chosen !== null && (
        <Promotion
          to={chosen.slice(2)}
          color={position.turn}
          orientation={orientation}
          onCancel={() => setPromoting(null)}
          onChoose={(piece) => {
            setPromoting(null);
            onMove(chosen + piece);
          }}
        />
      )}
    </div>
  );
}

/** A player's likeliest moves, wider the likelier; without a policy, its best move. */
function arrowsOf(analysis: PositionAnalysis, brush: string): Arrow[] {
  const likely = analysis.moves.filter((move) => (move.probability ?? 0) >= MIN_PROBABILITY).slice(0, 3);
  if (likely.length === 0) return [arrow(analysis.best.uci, brush, 9)];
  return likely.map((move) => arrow(move.uci, brush, 4 + 10 * (move.probability ?? 0)));
}

function arrow(uci: string, brush: string, width: number): Arrow {
  return { from: uci.slice(0, 2), to: uci.slice(2, 4), brush, width };
}
