// The board with who sits at it, and the choice of a piece for a pawn that has arrived.
import type { Color } from "chessgroundx/types";
import { useMemo, useState } from "preact/hooks";
import { type Arrow, Board } from "../../board";
import { ClockFace } from "./clock";
import { type Game, opposite, turnOf } from "./game";
import { Promotion } from "../../promotion";
import type { Title } from "./titles";

type Props = {
  game: Game;
  shown: number;
  orientation: Color;
  arrows: Arrow[];
  titles: Record<Color, Title>;
  /** Whether the move was made. */
  onMove: (move: string) => Promise<boolean>;
};

export function Table({ game, shown, orientation, arrows, titles, onMove }: Props) {
  const [arrived, setArrived] = useState<{ move: string; plies: number } | null>(null);
  const [returned, setReturned] = useState(0); // pieces that had to go back to where they were
  const isNow = shown === game.moves.length;
  const promoting = arrived?.plies === game.moves.length && isNow ? arrived.move : null;
  const putBack = () => setReturned((times) => times + 1);
  const make = (move: string) => void onMove(move).then((made) => made || putBack());
  const move = (from: string, to: string) => {
    if (game.promotions.includes(from + to)) setArrived({ move: from + to, plies: game.moves.length });
    else make(from + to);
  };
  // Drawn anew only for a reason: a piece that was moved stays while the server is asked.
  const board = useMemo(
    () => <Board {...positionOf(game, shown)} orientation={orientation} onMove={move} arrows={arrows} />,
    [game, shown, orientation, JSON.stringify(arrows), returned],
  );
  const seat = (side: Color) => <Strip game={game} side={side} title={titles[side]} />;
  return (
    <section class="table" aria-label="Board">
      {seat(opposite(orientation))}
      <div class="middle">
        {board}
        {promoting !== null && (
          <Promotion
            to={promoting.slice(2)}
            color={game.turn}
            orientation={orientation}
            onCancel={() => {
              setArrived(null);
              putBack();
            }}
            onChoose={(piece) => {
              setArrived(null);
              make(promoting + piece);
            }}
          />
        )}
      </div>
      {seat(orientation)}
    </section>
  );
}

function positionOf(game: Game, shown: number) {
  const ply = game.moves[shown - 1];
  const fen = ply?.fen ?? game.start.fen;
  const turn = turnOf(fen);
  const last = ply ? `, last move ${ply.san}` : "";
  return {
    fen,
    turn,
    check: ply?.check ?? game.start.check,
    lastMove: ply ? ([ply.move.slice(0, 2), ply.move.slice(2, 4)] as [string, string]) : null,
    moves: shown === game.moves.length ? game.destinations : {},
    label: `Chess board, ${turn} to move${last}. Moves can be typed.`,
  };
}

function Strip({ game, side, title }: { game: Game; side: Color; title: Title }) {
  const isThinking = game.thinking && game.turn === side;
  const isToMove = game.end === null && game.turn === side;
  return (
    <div class={`strip${isToMove ? " to-move" : ""}`}>
      <span class={`disc ${side}`} aria-hidden="true" />
      <b>{title.name}</b>
      <span class="quiet detail">{isThinking ? "thinking ..." : title.detail}</span>
      {game.clock !== null && <ClockFace clock={game.clock} side={side} />}
    </div>
  );
}
