// The board of a match: a live game, the newest finished one, or the chosen one, move by move.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../../api";
import { Board } from "../../board";
import { count, playerTitle, resultText } from "../../format";
import { Moves, Steps, useStepKeys } from "../../moves";
import { linkToGame } from "../../place";
import { Problem, useAttempt } from "../../problem";
import type { GameRecord, MatchData } from "../../types";
import { firstIsWhite, gameText } from "./score";

type MatchBoardProps = { match: MatchData; chosen: number | null; onFollow: () => void };

export function MatchBoard({ match, chosen, onFollow }: MatchBoardProps) {
  const live = chosen === null ? match.playing : null;
  const number = live?.number ?? chosen ?? match.newest[0]?.number ?? null;
  const { record, problem } = useRecord(match.id, live === null ? number : null);
  const isRunning = match.state === "running" || match.state === "starting";
  return (
    <section class="stage" aria-label="Board">
      {live !== null ? (
        <Live match={match} live={live} />
      ) : record !== null ? (
        <Replay
          key={record.number}
          record={record}
          names={namesOf(match, record.number)}
          running={chosen === null}
        >
          <b>Game {record.number + 1}</b>: {resultText(record.result)}, {gameText(record)}
        </Replay>
      ) : (
        <Empty text={isRunning ? "The first games are being played ..." : "No game has ended yet."} />
      )}
      {chosen !== null && (
        <button onClick={onFollow}>
          {isRunning ? "Back to the live game" : "To the newest game"}
        </button>
      )}
      <Problem text={problem} />
    </section>
  );
}

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

function Empty({ text }: { text: string }) {
  return (
    <>
      <p class="player">&nbsp;</p>
      <Board fen={START} label="The board before the first game" />
      <p class="player">{text}</p>
    </>
  );
}

function Live({ match, live }: { match: MatchData; live: NonNullable<MatchData["playing"]> }) {
  const [white, black] = namesOf(match, live.number);
  const turn = live.fen.split(" ")[1] === "b" ? "black" : "white";
  return (
    <>
      <PlayerLabel name={black} colour="Black" />
      <Board
        fen={live.fen}
        turn={turn}
        check={live.check}
        lastMove={live.move}
        label={`Game ${live.number + 1}, live, after ${count(live.plies, "plies")}`}
      />
      <PlayerLabel name={white} colour="White" />
      <p class="quiet">
        <span class="live-dot" aria-hidden="true" /> Game {live.number + 1} is being played, move{" "}
        {Math.floor(live.plies / 2) + 1}
      </p>
    </>
  );
}

/** White's name and Black's. */
function namesOf(match: MatchData, number: number): [string, string] {
  const [a, b] = match.players.map(playerTitle) as [string, string];
  return firstIsWhite(number) ? [a, b] : [b, a];
}

/** The last record stays until the next one is loaded, so that the board does not flicker. */
function useRecord(id: string, number: number | null) {
  const [record, setRecord] = useState<GameRecord | null>(null);
  const { problem, attempt } = useAttempt();
  useEffect(() => {
    if (number === null) return;
    let current = true;
    void attempt(() => get<GameRecord>(`matches/${id}/games/${number}`)).then(
      (found) => current && found !== null && setRecord(found),
    );
    return () => {
      current = false;
    };
  }, [id, number]);
  return { record, problem };
}

type ReplayProps = {
  record: GameRecord;
  /** White's and Black's. */
  names: [string, string];
  /** Whether it starts to play by itself. */
  running: boolean;
  children: ComponentChildren;
};

const MS_PER_MOVE = 500;

function Replay({ record, names: [white, black], running, children }: ReplayProps) {
  const last = record.positions.length - 1;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const [ply, setPly] = useState(running && still ? last : Math.min(record.opening_plies, last));
  const [runs, setRuns] = useState(running && !still);
  const go = (to: number) => {
    setRuns(false);
    setPly(to);
  };
  // Keys may come faster than renders: each step counts from the last one.
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
      <PlayerLabel name={black} colour="Black" />
      <Board
        fen={position.fen}
        turn={turn}
        check={position.check}
        lastMove={position.move}
        label={`Game ${record.number + 1} after ${ply} of ${count(last, "plies")}`}
      />
      <PlayerLabel name={white} colour="White" />
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
    const timer = setTimeout(tick, MS_PER_MOVE);
    return () => clearTimeout(timer);
  });
}

function PlayerLabel({ name, colour }: { name: string; colour: "White" | "Black" }) {
  return (
    <p class="player">
      <span class={`disc ${colour.toLowerCase()}`} aria-hidden="true" /> {name}{" "}
      <span class="quiet">{colour}</span>
    </p>
  );
}
