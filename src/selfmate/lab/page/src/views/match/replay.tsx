// A finished game, move by move: by buttons, by arrow keys, by a click on a move, or by itself.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Board } from "../../board";
import { Moves, Steps, useStepKeys } from "../../moves";
import { linkToGame } from "../../place";
import { Seat } from "./seat";
import type { GameRecord } from "./types";

type ReplayProps = {
  record: GameRecord;
  /** White's and Black's. */
  names: [string, string];
  /** Whether it starts to run by itself. */
  running: boolean;
  children: ComponentChildren;
};

const MS_A_MOVE = 500;

export function Replay({ record, names: [white, black], running, children }: ReplayProps) {
  const last = record.positions.length - 1;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const [ply, setPly] = useState(running && still ? last : Math.min(record.opening_plies, last));
  const [runs, setRuns] = useState(running && !still);
  const go = (to: number) => {
    setRuns(false);
    setPly(to);
  };
  // Keys may come faster than the page is drawn: each counts from where the one before has led.
  const step = (by: number) => {
    setRuns(false);
    setPly((now) => Math.max(0, Math.min(last, now + by)));
  };
  useTicks(runs && ply < last, () => setPly(ply + 1));
  useStepKeys(step);
  const start = record.positions[0]!.fen;
  const position = record.positions[ply]!;
  const turn = position.fen.split(" ")[1] === "b" ? "black" : "white";
  return (
    <>
      <Seat name={black} colour="Black" />
      <Board
        fen={position.fen}
        turn={turn}
        check={position.check}
        lastMove={position.move}
        label={`Game ${record.number + 1} after ${ply} of ${last} plies`}
      />
      <Seat name={white} colour="White" />
      <Steps
        shown={ply}
        last={last}
        onStep={step}
        playing={runs && ply < last}
        onPlay={() => {
          if (ply === last) setPly(0);
          setRuns(ply === last || !runs);
        }}
      />
      <p class="about-game">{children}</p>
      <Moves
        start={start}
        sans={record.sans}
        shown={ply}
        book={record.opening_plies}
        empty="No moves."
        onGo={go}
      />
      <a class="button" href={linkToGame(start, record.moves, ply)}>
        Analyse
      </a>
    </>
  );
}

function useTicks(on: boolean, tick: () => void): void {
  useEffect(() => {
    if (!on) return;
    const timer = setTimeout(tick, MS_A_MOVE);
    return () => clearTimeout(timer);
  });
}
