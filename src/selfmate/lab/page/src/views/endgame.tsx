// The mini-chess: king and queen against a lone king, what is true beside what was learned.
import { useEffect, useState } from "preact/hooks";
import { get } from "../api";
import { useTopic } from "../news";
import type { Place } from "../place";
import { linkTo } from "../place";
import { Problem, useAttempt } from "../problem";
import "./endgame.css";
import { Boards } from "./endgame/boards";
import { Controls, ShownChoice, SIZES } from "./endgame/controls";
import { Curves, Figures } from "./endgame/figures";
import { useGame } from "./endgame/game";
import { Moves } from "./endgame/moves";
import { Play } from "./endgame/play";
import type { Facts, RunNews, Shown } from "./endgame/types";
import type { RunRow } from "../runs";

const MOVES = "Green squares: moves that mate soonest. Red: lost time, or stalemate.";
const MEANINGS: Record<Shown, string> = {
  all: `${MOVES} K is your king, Q your queen.`,
  K: `Where your king can go. ${MOVES}`,
  Q: `Where your queen can go. ${MOVES}`,
  enemy: "What the position would be worth with the lone king there: 1 is mate at once, less is later.",
};
const LEARNERS = ["sarsa", "ddqn"];

export function Endgame({ place }: { place: Place }) {
  const runs = useTopic<RunRow[]>("runs")?.filter((row) => LEARNERS.includes(row.learner));
  if (runs === undefined) return <p class="quiet">Looking for runs ...</p>;
  const given = place.settings.get("run");
  const run = given === null && !place.settings.has("size") ? (runs[0]?.name ?? null) : given || null;
  const size = Number(place.settings.get("size"));
  return <Laboratory runs={runs} run={run} size={SIZES.includes(size) ? size : SIZES[0]!} />;
}

type LaboratoryProps = { runs: RunRow[]; run: string | null; size: number };

function Laboratory(props: LaboratoryProps) {
  const { runs, run } = props;
  const news = useTopic<RunNews>(run === null ? null : `endgame:${run}`);
  const learner = news?.step != null ? news.name : null;
  const known = run === null || news !== null;
  const size = news?.size ?? props.size;
  const [shown, show] = useState<Shown>("all");
  const { facts, problem } = useFacts(known ? size : null, learner);
  const { game, ...actions } = useGame(known ? size : null, learner, news?.step ?? null);
  return (
    <div class="endgame">
      <h1>King and queen against a lone king</h1>
      <p>
        You have king and queen; the lone king moves at random. This small game is solved, so what a
        net has learned can be held against the truth.
      </p>
      <div class="line bar">
        <Controls
          runs={runs}
          run={run}
          size={size}
          onRun={(name) => go({ run: name ?? "" })}
          onSize={(one) => go({ run: "", size: String(one) })}
        />
        <ShownChoice shown={shown} onShow={show} />
      </div>
      <Problem text={news?.error ?? problem ?? actions.problem} />
      {game === null ? (
        <p class="quiet solving">Solving {size} x {size} ...</p>
      ) : (
        <div class="desk">
          <div class="left">
            <p class="quiet">{MEANINGS[shown]}</p>
            <Boards
              size={size}
              game={game}
              shown={shown}
              run={run}
              news={news}
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
          {facts && <Figures size={size} facts={facts} news={news} />}
        </div>
      )}
      {facts && news?.curves && <Curves facts={facts} news={news} />}
    </div>
  );
}

function useFacts(size: number | null, run: string | null) {
  const [facts, setFacts] = useState<Facts | null>(null);
  const { problem, attempt } = useAttempt();
  useEffect(() => {
    let current = true;
    setFacts(null);
    if (size === null) return;
    const query = run === null ? "" : `?${new URLSearchParams({ run })}`;
    void attempt(() => get<Facts>(`endgame/${size}${query}`)).then((found) => {
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
