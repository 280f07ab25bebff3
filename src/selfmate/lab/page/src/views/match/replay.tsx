// A finished game, move by move: by buttons, by arrow keys, by a click on a move, or by itself.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Board } from "../../board";
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
  useArrowKeys({
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    Home: () => go(0),
    End: () => go(last),
  });
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
      <div class="line steps">
        <Step label="To the start" sign="«" disabled={ply === 0} onClick={() => go(0)} />
        <Step label="One move back" sign="‹" disabled={ply === 0} onClick={() => step(-1)} />
        <button disabled={ply === last} onClick={() => setRuns(!runs)}>
          {runs && ply < last ? "Pause" : "Play"}
        </button>
        <Step label="One move on" sign="›" disabled={ply === last} onClick={() => step(1)} />
        <Step label="To the end" sign="»" disabled={ply === last} onClick={() => go(last)} />
      </div>
      <p class="about-game">{children}</p>
      <Moves record={record} ply={ply} onGo={go} />
    </>
  );
}

type StepProps = { label: string; sign: string; disabled: boolean; onClick: () => void };

function Step({ label, sign, disabled, onClick }: StepProps) {
  return (
    <button aria-label={label} title={label} disabled={disabled} onClick={onClick}>
      {sign}
    </button>
  );
}

type MovesProps = { record: GameRecord; ply: number; onGo: (ply: number) => void };

function Moves({ record, ply, onGo }: MovesProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const now = list.current?.querySelector<HTMLElement>("[aria-current]");
    if (now && list.current) list.current.scrollTop = now.offsetTop - list.current.clientHeight / 2;
  }, [ply]);
  const [, firstTurn = "w", , , , firstMove = "1"] = record.positions[0]!.fen.split(" ");
  const offset = 2 * Number(firstMove) - 2 + (firstTurn === "b" ? 1 : 0);
  return (
    <div class="moves" ref={list} aria-label="Moves" role="group">
      {record.positions.slice(1).map((position, index) => (
        <span key={index}>
          {(index + offset) % 2 === 0 && <span class="quiet">{(index + offset) / 2 + 1}. </span>}
          <button
            class={index < record.opening_plies ? "book" : ""}
            tabIndex={-1}
            aria-current={index + 1 === ply ? "true" : undefined}
            onClick={() => onGo(index + 1)}
          >
            {position.san}
          </button>{" "}
        </span>
      ))}
    </div>
  );
}

function useTicks(on: boolean, tick: () => void): void {
  useEffect(() => {
    if (!on) return;
    const timer = setTimeout(tick, MS_A_MOVE);
    return () => clearTimeout(timer);
  });
}

/** Anywhere but where keys are typed. */
function useArrowKeys(keys: Record<string, () => void>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const typing = (event.target as HTMLElement).matches?.("input, select, textarea");
      const act = keys[event.key];
      if (act === undefined || typing || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}
