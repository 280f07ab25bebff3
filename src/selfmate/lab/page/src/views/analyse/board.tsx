// The board to try moves on, with everybody's arrows.
import { useState } from "preact/hooks";
import type { Arrow } from "../../board";
import { Board } from "../../board";
import { Promotion } from "../../promotion";
import type { Desk, Thought } from "./types";

const LEAST_SHARE = 0.05; // less likely moves get no arrow

type AnalysisBoardProps = {
  desk: Desk;
  flipped: boolean;
  arrows: Arrow[];
  onMove: (uci: string) => void;
};

export function AnalysisBoard({ desk, flipped, arrows, onMove }: AnalysisBoardProps) {
  const [promoting, setPromoting] = useState<string | null>(null);
  const last = desk.moves[desk.ply - 1];
  const chosen = promoting !== null && desk.promotions.includes(promoting) ? promoting : null;
  const orientation = flipped ? "black" : "white";
  return (
    <div class="analysis-board">
      <Board
        fen={desk.fen}
        turn={desk.turn}
        orientation={orientation}
        check={desk.check}
        lastMove={last ? [last.slice(0, 2), last.slice(2, 4)] : null}
        moves={desk.destinations}
        arrows={arrows}
        label={`Position: ${desk.fen}`}
        onMove={(from, to) =>
          desk.promotions.includes(from + to) ? setPromoting(from + to) : onMove(from + to)
        }
      />
      {chosen !== null && (
        <Promotion
          to={chosen.slice(2)}
          color={desk.turn}
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

/** A player's likely moves, the likelier the wider; without a policy, the move it would play. */
export function arrowsOf(thought: Thought, brush: string): Arrow[] {
  const likely = thought.moves.filter((move) => (move.probability ?? 0) >= LEAST_SHARE).slice(0, 3);
  if (likely.length === 0) return [arrow(thought.best.uci, brush, 9)];
  return likely.map((move) => arrow(move.uci, brush, 4 + 10 * (move.probability ?? 0)));
}

function arrow(uci: string, brush: string, width: number): Arrow {
  return { from: uci.slice(0, 2), to: uci.slice(2, 4), brush, width };
}
