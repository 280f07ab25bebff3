// The Puzzles view: find the only good move; then see who else does.
import { useEffect, useState } from "preact/hooks";
import { get, post } from "../api";
import { type Arrow, Board, Promotion } from "../board";
import { elo } from "../format";
import { TypedMove } from "../moves";
import { linkToGame, type Place, replacePlace } from "../place";
import { useOffers } from "../players";
import { Problem, useAttempt } from "../problem";
import { useConnection } from "../topics";
import type { PuzzleData, PuzzleRow } from "../types";
import { Answers } from "./puzzles/answers";
import { nextPuzzle, type Progress, storedProgress, storeProgress, withResult } from "./puzzles/progress";
import "./puzzles.css";

export function Puzzles({ place }: { place: Place }) {
  const offers = useOffers();
  const connection = useConnection(); // a lab that is back is asked again
  const [rows, setRows] = useState<PuzzleRow[] | null>(null);
  const [progress, setProgress] = useState(storedProgress);
  const [wanted, setWanted] = useState(Number(place.settings.get("number") ?? 0));
  const { problem, attempt } = useAttempt();
  const number = wanted || (rows === null ? 0 : nextPuzzle(rows, progress, 0));
  const isKnown = rows?.some((row) => row.number === number) ?? false;
  const { puzzle, problem: refused, busy, move, giveUp } = usePuzzle(isKnown ? number : 0, (row, solved) => {
    const next = withResult(progress, row, solved);
    storeProgress(next);
    setProgress(next);
  });
  useEffect(() => {
    if (rows === null) void attempt(async () => setRows(await get<PuzzleRow[]>("puzzles")));
  }, [connection]);
  useEffect(() => {
    if (number > 0) replacePlace("puzzles", new URLSearchParams({ number: String(number) }));
    if (number > 0 && wanted === 0) setWanted(number);
  }, [number]);
  if (rows !== null && !isKnown)
    return <Problem text={`There are puzzles 1 to ${rows.length}.`} />;
  if (rows === null || puzzle === null || offers === null)
    return problem ?? refused ? <Problem text={problem ?? refused} /> : <p class="quiet">Setting up the board ...</p>;
  const next = () => setWanted(nextPuzzle(rows, progress, number));
  return (
    <div class="puzzles">
      <PuzzleBoard puzzle={puzzle} onMove={move} />
      <div class="task">
        <h1>
          Puzzle {puzzle.number} <small class="quiet">of {rows.length}, rated {puzzle.rating}</small>
        </h1>
        <p class={`verdict ${puzzle.state}`} role="status">
          {statusText(puzzle)}
        </p>
        {puzzle.state !== "open" && <p>Solution: {puzzle.solution.join(" ")}</p>}
        {puzzle.state === "open" && <TypedMove legal={puzzle.legal} disabled={busy} onMove={move} />}
        <Problem text={refused} />
        <div class="line">
          {puzzle.state === "open" ? (
            <button type="button" onClick={giveUp}>
              Show the solution
            </button>
          ) : (
            <>
              <button type="button" class="main" onClick={next}>
                Next puzzle
              </button>
              <a class="button" href={linkToGame(puzzle.start, puzzle.line, 0)}>
                Analyse
              </a>
            </>
          )}
        </div>
        <Score progress={progress} total={rows.length} />
        {puzzle.state !== "open" && <Answers key={puzzle.number} number={puzzle.number} offers={offers} />}
      </div>
    </div>
  );
}

/** `onResult` is called once for each puzzle, with its first result. */
function usePuzzle(number: number, onResult: (puzzle: PuzzleData, solved: boolean) => void) {
  const [puzzle, setPuzzle] = useState<PuzzleData | null>(null);
  const [moves, setMoves] = useState<string[]>([]);
  const { problem, busy, attempt } = useAttempt();
  const connection = useConnection();
  async function load(made: string[], giveUp = false): Promise<void> {
    const body = { moves: made, give_up: giveUp };
    const found = await attempt(() => post<PuzzleData>(`puzzles/${number}`, body));
    if (found === null) return;
    setMoves(made);
    setPuzzle(found);
    if (found.state !== "open") onResult(found, found.state === "solved");
  }
  useEffect(() => {
    setPuzzle(null);
    if (number > 0) void load([]);
  }, [number, connection === "open"]);
  return {
    puzzle,
    problem,
    busy,
    giveUp: () => void load(moves, true),
    move: (uci: string) => void load([...moves, uci]),
  };
}

function PuzzleBoard({ puzzle, onMove }: { puzzle: PuzzleData; onMove: (uci: string) => void }) {
  const [promoting, setPromoting] = useState<string | null>(null);
  const move = (from: string, to: string) =>
    puzzle.promotions.includes(from + to) ? setPromoting(from + to) : onMove(from + to);
  return (
    <div class="middle">
      <Board
        fen={puzzle.fen}
        turn={puzzle.turn}
        check={puzzle.check}
        lastMove={puzzle.last_move}
        orientation={puzzle.solver}
        moves={puzzle.destinations}
        arrows={answerOf(puzzle)}
        label={`Puzzle ${puzzle.number}, ${puzzle.turn} to move. Moves can be typed.`}
        onMove={move}
      />
      {promoting !== null && (
        <Promotion
          to={promoting.slice(2)}
          color={puzzle.solver}
          orientation={puzzle.solver}
          onCancel={() => setPromoting(null)}
          onChoose={(piece) => {
            setPromoting(null);
            onMove(promoting + piece);
          }}
        />
      )}
    </div>
  );
}

/** The move that was not found. */
function answerOf({ answer }: PuzzleData): Arrow[] {
  return answer === null ? [] : [{ from: answer.slice(0, 2), to: answer.slice(2, 4), brush: "green", width: 10 }];
}

function statusText({ state, solver, played }: PuzzleData): string {
  const side = solver === "white" ? "White" : "Black";
  if (state === "solved") return "Solved.";
  const isWrong = played.length % 2 === 1; // the solver's last move was not answered
  if (state === "failed") return isWrong ? `${played.at(-1)} is not the move.` : "Not solved.";
  return played.length > 0 ? `Right. ${side} to move again.` : `${side} to move. One move alone is good.`;
}

function Score({ progress, total }: { progress: Progress; total: number }) {
  const solved = Object.values(progress.results).filter(Boolean).length;
  return (
    <dl class="score">
      <div>
        <dt>Your puzzle rating</dt>
        <dd>{elo(progress.rating)}</dd>
      </div>
      <div>
        <dt>Streak</dt>
        <dd>{progress.streak}</dd>
      </div>
      <div>
        <dt>Best streak</dt>
        <dd>{progress.best}</dd>
      </div>
      <div>
        <dt>Solved</dt>
        <dd>
          {solved} of {total}
        </dd>
      </div>
    </dl>
  );
}
