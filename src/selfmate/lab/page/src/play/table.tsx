// The board with who sits at it, and the choice of a piece for a pawn that has arrived.
import type { Color } from "chessgroundx/types";
import { useState } from "preact/hooks";
import { type Arrow, Board } from "../board";
import { ClockFace } from "./clock";
import { type Game, opposite, turnOf } from "./game";
import { Promotion } from "./promotion";
import type { Title } from "./titles";

type Props = {
  game: Game;
  shown: number;
  orientation: Color;
  arrows: Arrow[];
  titles: Record<Color, Title>;
  onMove: (move: string) => void;
};

export function Table({ game, shown, orientation, arrows, titles, onMove }: Props) {
  const [arrived, setArrived] = useState<{ move: string; plies: number } | null>(null);
  const ply = game.moves[shown - 1];
  const fen = ply?.fen ?? game.start.fen;
  const isNow = shown === game.moves.length;
  const promoting = arrived !== null && arrived.plies === game.moves.length && isNow ? arrived.move : null;
  const move = (from: string, to: string) => {
    if (game.promotions.includes(from + to)) setArrived({ move: from + to, plies: game.moves.length });
    else onMove(from + to);
  };
  const seat = (side: Color) => <Strip game={game} side={side} title={titles[side]} />;
  return (
    <section class="table" aria-label="Board">
      {seat(opposite(orientation))}
      <div class="middle">
        <Board
          fen={fen}
          orientation={orientation}
          turn={turnOf(fen)}
          check={ply?.check ?? game.start.check}
          lastMove={ply ? [ply.move.slice(0, 2), ply.move.slice(2, 4)] : null}
          moves={isNow ? game.destinations : {}}
          onMove={move}
          arrows={arrows}
          label={labelOf(game, shown)}
        />
        {promoting !== null && (
          <Promotion
            to={promoting.slice(2)}
            color={game.turn}
            orientation={orientation}
            onCancel={() => setArrived(null)}
            onChoose={(piece) => {
              setArrived(null);
              onMove(promoting + piece);
            }}
          />
        )}
      </div>
      {seat(orientation)}
    </section>
  );
}

function Strip({ game, side, title }: { game: Game; side: Color; title: Title }) {
  const isThinking = game.thinking && game.turn === side;
  const isToMove = game.end === null && game.turn === side;
  return (
    <div class={`strip${isToMove ? " to-move" : ""}`}>
      <span class={`dot ${side}`} aria-hidden="true" />
      <b>{title.name}</b>
      <span class="quiet detail">{isThinking ? "thinking ..." : title.detail}</span>
      {game.clock !== null && <ClockFace clock={game.clock} side={side} />}
    </div>
  );
}

function labelOf(game: Game, shown: number): string {
  const last = game.moves[shown - 1];
  const turn = turnOf(last?.fen ?? game.start.fen);
  return `Chess board, ${turn} to move${last ? `, last move ${last.san}` : ""}. Moves can be typed.`;
}
