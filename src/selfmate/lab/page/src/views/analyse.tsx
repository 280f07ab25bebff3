// The Analyse view: any position, and the analyses of several players side by side.
import { useState } from "preact/hooks";
import { type Arrow, Board, Promotion } from "../board";
import { Moves, Steps, TypedMove, useStepKeys } from "../moves";
import type { Place } from "../place";
import { useOffers } from "../players";
import { Problem } from "../problem";
import type { PositionAnalysis, PositionData } from "../types";
import "./analyse.css";
import { Card } from "./analyse/card";
import { Paste } from "./analyse/paste";
import { COLOURS, usePlayers } from "./analyse/players";
import { isInGame, usePosition } from "./analyse/position";

export function Analyse({ place }: { place: Place }) {
  const offers = useOffers();
  const { position, pasted, game, problem, read, open, move, goTo, step, backToGame } =
    usePosition(place.settings);
  const { players, add, remove, choose, setAnalysis } = usePlayers(
    place.settings.getAll("player"),
    offers,
  );
  const [flipped, flip] = useState(false);
  useStepKeys(step);
  if (position === null || offers === null) return <p class="quiet">Setting up the board ...</p>;
  const arrows = players.flatMap(({ analysis, colour }) =>
    analysis === null ? [] : arrowsOf(analysis, COLOURS[colour]!),
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
        </div>
        <Problem text={problem} />
        <Moves
          start={position.start}
          sans={position.sans}
          shown={position.ply}
          empty="No moves yet. Move a piece, or paste a game."
          onGo={goTo}
        />
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
