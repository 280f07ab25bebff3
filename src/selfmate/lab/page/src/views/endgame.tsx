// The Endgame view: king and queen against a lone king, exact values beside learned ones.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import { Choice } from "../choice";
import { linkTo, type Place } from "../place";
import { Problem, useAttempt } from "../problem";
import { useTopic } from "../topics";
import type { EndgameData, EndgameFacts, RunRow } from "../types";
import "./endgame.css";
import { Boards, type Coloured } from "./endgame/boards";
import { useGame } from "./endgame/game";
import { Play } from "./endgame/play";
import { Comparison, Curves, Moves } from "./endgame/tables";

const MOVES = "Green squares: moves that mate soonest. Red: lost time, or stalemate.";
const MEANINGS: Record<Coloured, string> = {
  all: `${MOVES} K is your king, Q your queen.`,
  K: `Where your king can go. ${MOVES}`,
  Q: `Where your queen can go. ${MOVES}`,
  enemy: "What the position would be worth with the lone king there: 1 is mate at once, less is later.",
};
const LEARNERS = ["sarsa", "ddqn"];

export function Endgame({ place }: { place: Place }) {
  const { data } = useTopic<RunRow[]>("runs");
  const runs = data?.filter((row) => LEARNERS.includes(row.learner));
  if (runs === undefined) return <p class="quiet">Loading the runs ...</p>;
  const given = place.settings.get("run");
  const run = given === null && !place.settings.has("size") ? (runs[0]?.name ?? null) : given || null;
  const size = Number(place.settings.get("size"));
  return <Workbench runs={runs} run={run} size={SIZES.includes(size) ? size : SIZES[0]!} />;
}

type WorkbenchProps = { runs: RunRow[]; run: string | null; size: number };

function Workbench(props: WorkbenchProps) {
  const { runs, run } = props;
  const { data, error } = useTopic<EndgameData>(run === null ? null : `endgame:${run}`);
  const learned = data?.step != null ? data.name : null;
  const known = run === null || data !== null || error !== null;
  const size = data?.size ?? props.size;
  const [coloured, setColoured] = useState<Coloured>("all");
  const { facts, problem } = useFacts(known ? size : null, learned);
  const { game, ...actions } = useGame(known ? size : null, learned, data?.step ?? null);
  return (
    <div class="endgame">
      <h1>King and queen against a lone king</h1>
      <p>
        You have king and queen; the lone king moves at random. This small game is solved, so the values
        that a net has learned can be compared with the exact ones.
      </p>
      <div class="line bar">
        <Controls
          runs={runs}
          run={run}
          size={size}
          onRun={(name) => go({ run: name ?? "" })}
          onSize={(one) => go({ run: "", size: String(one) })}
        />
        <ColouredChoice coloured={coloured} onChoose={setColoured} />
      </div>
      <Problem text={error ?? problem ?? actions.problem} />
      {game === null ? (
        <p class="quiet solving">Solving {size} x {size} ...</p>
      ) : (
        <div class="workbench">
          <div class="left">
            <p class="quiet">{MEANINGS[coloured]}</p>
            <Boards
              size={size}
              game={game}
              coloured={coloured}
              run={run}
              data={data}
              hasError={error !== null}
              onPlay={actions.play}
            />
          </div>
          <div class="beside">
            <Play
              game={game}
              watched={actions.watched}
              onBegin={actions.begin}
              onPlay={actions.play}
              onWatch={actions.watch}
            />
            {game.ended === null && <Moves position={game.position} onPlay={actions.play} />}
          </div>
          {facts && <Comparison size={size} facts={facts} data={data} />}
        </div>
      )}
      {facts && data && <Curves facts={facts} data={data} />}
    </div>
  );
}

function useFacts(size: number | null, run: string | null) {
  const [facts, setFacts] = useState<EndgameFacts | null>(null);
  const { problem, attempt } = useAttempt();
  useEffect(() => {
    let current = true;
    setFacts(null);
    if (size === null) return;
    const query = run === null ? "" : `?${new URLSearchParams({ run })}`;
    void attempt(() => get<EndgameFacts>(`endgame/${size}${query}`)).then((found) => {
      if (current) setFacts(found);
    });
    return () => {
      current = false;
    };
  }, [size, run]);
  return { facts, problem };
}

function go(settings: Record<string, string>): void {
  location.hash = linkTo("endgame", settings);
}

const SIZES = [4, 5, 6];
const COLOURED: [Coloured, string][] = [
  ["all", "All moves"],
  ["K", "King"],
  ["Q", "Queen"],
  ["enemy", "Lone king"],
];

type ControlsProps = {
  runs: RunRow[];
  run: string | null;
  size: number;
  onRun: (run: string | null) => void;
  onSize: (size: number) => void;
};

function Controls({ runs, run, size, onRun, onSize }: ControlsProps) {
  return (
    <div class="line controls">
      <label>
        <span>Learned values of</span>
        <select value={run ?? ""} onChange={(event) => onRun(event.currentTarget.value || null)}>
          <option value="">none, exact values only</option>
          {runs.map((row) => (
            <option key={row.name} value={row.name}>
              {row.name} ({row.state})
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Board</span>
        <select value={size} onChange={(event) => onSize(Number(event.currentTarget.value))}>
          {SIZES.map((one) => (
            <option key={one} value={one}>
              {one} x {one}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function ColouredChoice(props: { coloured: Coloured; onChoose: (coloured: Coloured) => void }) {
  return (
    <Choice
      legend="Colours show"
      options={COLOURED}
      value={props.coloured}
      onChoose={props.onChoose}
    />
  );
}
