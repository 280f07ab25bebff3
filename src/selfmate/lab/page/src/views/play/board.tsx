// The board of a game with the names and clocks of both sides, and the choice of a promotion.
import type { Color } from "chessgroundx/types";
import { useMemo, useState } from "preact/hooks";
import { type Arrow, Board, Promotion } from "../../board";
import { elo, playerTitle } from "../../format";
import { Captured } from "../../material";
import { nameOf } from "../../players";
import type { GameData, Offer } from "../../types";
import { ClockFace } from "./clock";
import { type GameChoice, opposite, turnOf } from "./game";

type Props = {
  game: GameData;
  shown: number;
  orientation: Color;
  arrows: Arrow[];
  titles: Record<Color, Title>;
  /** Whether the move was made. */
  onMove: (move: string) => Promise<boolean>;
};

export function GameBoard({ game, shown, orientation, arrows, titles, onMove }: Props) {
  const [promotion, setPromotion] = useState<{ move: string; plies: number } | null>(null);
  const [returned, setReturned] = useState(0); // counts moves that were refused
  const isNow = shown === game.moves.length;
  const promoting = promotion?.plies === game.moves.length && isNow ? promotion.move : null;
  const putBack = () => setReturned((times) => times + 1);
  const make = (move: string) => void onMove(move).then((made) => made || putBack());
  const move = (from: string, to: string) => {
    if (game.promotions.includes(from + to)) setPromotion({ move: from + to, plies: game.moves.length });
    else make(from + to);
  };
  // Memoized: a piece that was moved stays on its square while the server answers.
  const board = useMemo(
    () => <Board {...positionOf(game, shown)} orientation={orientation} onMove={move} arrows={arrows} />,
    [game, shown, orientation, JSON.stringify(arrows), returned],
  );
  const { fen } = positionOf(game, shown);
  const strip = (side: Color) => <Strip game={game} side={side} title={titles[side]} fen={fen} />;
  return (
    <section class="table" aria-label="Board">
      {strip(opposite(orientation))}
      <div class="middle">
        {board}
        {promoting !== null && (
          <Promotion
            to={promoting.slice(2)}
            color={game.turn}
            orientation={orientation}
            onCancel={() => {
              setPromotion(null);
              putBack();
            }}
            onChoose={(piece) => {
              setPromotion(null);
              make(promoting + piece);
            }}
          />
        )}
      </div>
      {strip(orientation)}
    </section>
  );
}

function positionOf(game: GameData, shown: number) {
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
    premover: shown === game.moves.length && game.end === null ? game.person : null,
    label: `Chess board, ${turn} to move${last}. Moves can be typed.`,
  };
}

type StripProps = { game: GameData; side: Color; title: Title; fen: string };

function Strip({ game, side, title, fen }: StripProps) {
  const isThinking = game.thinking && game.turn === side;
  const isToMove = game.end === null && game.turn === side;
  return (
    <div class={`strip${isToMove ? " to-move" : ""}`}>
      <span class={`disc ${side}`} aria-hidden="true" />
      <b>{title.name}</b>
      <span class="quiet detail">{isThinking ? "thinking ..." : title.detail}</span>
      <Captured side={side} start={game.start.fen} fen={fen} />
      {game.clock !== null && <ClockFace clock={game.clock} side={side} />}
    </div>
  );
}

export type Title = { name: string; detail: string };

/** A full name is for programs. */
function namedText(name: string): string {
  return name.includes("=") ? playerTitle(name) : name;
}

export function titleOf(game: GameData, choice: GameChoice | null, offers: Offer[], side: Color): Title {
  if (side === game.person) return { name: "You", detail: "" };
  const isOpponent = game.person === null && side === "black" && choice?.opponent;
  const chosen = (isOpponent ? choice.opponent : choice?.player) ?? "";
  const [kind = "", rating] = chosen.split(":elo=");
  const rated = rating === undefined ? undefined : offers.find((one) => nameOf(one) === kind);
  if (rated !== undefined) return { name: rated.title, detail: `plays like ${rating}` };
  const offer = offers.find((one) => one.strengths.some((strength) => strength.name === chosen));
  const strength = offer?.strengths.find((one) => one.name === chosen);
  if (offer === undefined || strength === undefined) return { name: namedText(game.names[side]), detail: "" };
  const played = offer.strengths.length > 1 ? strength.title : offer.about;
  return { name: offer.title, detail: strength.elo === null ? played : `${elo(strength.elo)}, ${played}` };
}
