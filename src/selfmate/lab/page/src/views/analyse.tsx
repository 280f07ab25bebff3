// Any position, and what several players think of it, side by side.
import { useState } from "preact/hooks";
import { Moves, Steps, useStepKeys } from "../moves";
import type { Place } from "../place";
import { useOffers } from "../players";
import { Problem } from "../problem";
import { TypedMove } from "../typed_move";
import "./analyse.css";
import { AnalysisBoard, arrowsOf } from "./analyse/board";
import { Card, COLOURS } from "./analyse/card";
import { isInGame, useDesk } from "./analyse/desk";
import { Paste } from "./analyse/paste";
import { useSeats } from "./analyse/seats";

export function Analyse({ place }: { place: Place }) {
  const offers = useOffers();
  const { desk, pasted, game, problem, read, open, move, goTo, step, backToGame } =
    useDesk(place.settings);
  const { seats, add, remove, choose, hear } = useSeats(place.settings.getAll("player"), offers);
  const [flipped, flip] = useState(false);
  useStepKeys(step);
  if (desk === null || offers === null) return <p class="quiet">Setting up the board ...</p>;
  const arrows = seats.flatMap(({ thought, colour }) =>
    thought === null ? [] : arrowsOf(thought, COLOURS[colour]!),
  );
  return (
    <div class="analyse">
      <div class="table">
        <AnalysisBoard desk={desk} flipped={flipped} arrows={arrows} onMove={move} />
        <Steps shown={desk.ply} last={desk.moves.length} onStep={step} />
        <p class="ending" role="status">
          {desk.ending ?? `${desk.turn === "white" ? "White" : "Black"} to move.`}
        </p>
        <div class="line under-board">
          <TypedMove legal={desk.legal} disabled={desk.ending !== null} onMove={move} />
          <button onClick={() => flip(!flipped)}>Flip</button>
        </div>
        <Problem text={problem} />
        <Moves
          start={desk.start}
          sans={desk.sans}
          shown={desk.ply}
          empty="No moves yet. Move a piece, or paste a game."
          onGo={goTo}
        />
        {game !== null && !isInGame(desk, game) && (
          <button onClick={backToGame}>Back to the game</button>
        )}
      </div>
      <div class="bring">
        <label>
          <span>This position as FEN</span>
          <input readOnly value={desk.fen} onFocus={(event) => event.currentTarget.select()} />
        </label>
        <Paste pasted={pasted} game={game} onRead={read} onOpen={open} />
      </div>
      <div class="opinions">
        <h1>What do they think?</h1>
        <p class="quiet">
          Bars and arrows show which moves a player would choose, each player in its own colour.
        </p>
        {seats.map((seat, at) => (
          <Card
            key={seat.key}
            desk={desk}
            offers={offers}
            player={seat.player}
            colour={COLOURS[seat.colour]!}
            number={at + 1}
            onChoose={(player) => choose(seat.key, player)}
            onRemove={() => remove(seat.key)}
            onThought={(thought) => hear(seat.key, thought)}
            onMove={move}
          />
        ))}
        {seats.length < COLOURS.length && <button onClick={add}>Add a player</button>}
      </div>
    </div>
  );
}
