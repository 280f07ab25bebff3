// The board of a match: a game that goes on now, the newest one that ended, or the chosen one.
import { useEffect, useState } from "preact/hooks";
import { get } from "../../api";
import { Board } from "../../board";
import { resultText } from "../../numbers";
import { playerTitle } from "../../player_title";
import { Problem, useAttempt } from "../../problem";
import { Replay } from "./replay";
import { Seat } from "./seat";
import type { GameRecord, MatchData } from "./types";
import { firstIsWhite, gameText } from "./words";

type StageProps = { match: MatchData; chosen: number | null; onFollow: () => void };

export function Stage({ match, chosen, onFollow }: StageProps) {
  const live = chosen === null ? match.playing : null;
  const number = live?.number ?? chosen ?? match.newest[0]?.number ?? null;
  const { record, problem } = useRecord(match.id, live === null ? number : null);
  const goesOn = match.state === "running" || match.state === "starting";
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
        <Empty text={goesOn ? "The first games are being played ..." : "No game has ended yet."} />
      )}
      {chosen !== null && (
        <button onClick={onFollow}>
          {goesOn ? "Back to the live game" : "To the newest game"}
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
      <p class="seat">&nbsp;</p>
      <Board fen={START} label="The board before the first game" />
      <p class="seat">{text}</p>
    </>
  );
}

function Live({ match, live }: { match: MatchData; live: NonNullable<MatchData["playing"]> }) {
  const [white, black] = namesOf(match, live.number);
  const turn = live.fen.split(" ")[1] === "b" ? "black" : "white";
  return (
    <>
      <Seat name={black} colour="Black" />
      <Board
        fen={live.fen}
        turn={turn}
        check={live.check}
        lastMove={live.move}
        label={`Game ${live.number + 1}, going on, after ${live.plies} plies`}
      />
      <Seat name={white} colour="White" />
      <p class="quiet">
        <span class="live-dot" aria-hidden="true" /> Game {live.number + 1} is going on, move{" "}
        {Math.floor(live.plies / 2) + 1}
      </p>
    </>
  );
}

/** White's and Black's. */
function namesOf(match: MatchData, number: number): [string, string] {
  const [a, b] = match.players.map(playerTitle) as [string, string];
  return firstIsWhite(number) ? [a, b] : [b, a];
}

/** The last one stays until the next is there, so that the board does not flicker. */
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
