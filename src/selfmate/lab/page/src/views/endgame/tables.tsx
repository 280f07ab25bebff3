// Tables and curves: a run beside random and perfect play, and all moves of the position.
import { Chart } from "../../chart";
import type { EndgameData, EndgameFacts, MiniPosition } from "../../types";

type Row = [title: string, random: string, learned: string, perfect: string];

export function Comparison({ size, facts, data }: { size: number; facts: EndgameFacts; data: EndgameData | null }) {
  const found = data?.evaluation ?? null;
  const rows: Row[] = [
    [
      "Games won by mate",
      percent(100 * facts.random_mate_probability),
      percent(found?.mate_percent),
      percent(100 * facts.best_mate_probability),
    ],
    [
      "Moves per game",
      moves(facts.random_mean_moves),
      found && found.mean_moves === null ? "some never end" : moves(found?.mean_moves),
      moves(facts.optimal_mean_moves),
    ],
  ];
  if (found !== null)
    rows.push(
      ["Best move found", "", percent(found.optimal_move_percent), "100 %"],
      ["Reward lost to perfect play", "", found.regret?.toFixed(4) ?? "", "0"],
    );
  return (
    <section class="card comparison">
      <h2>How good is it?</h2>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">Random play</th>
            {found && <th scope="col">{data?.name}</th>}
            <th scope="col">Perfect play</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([title, random, learned, perfect]) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              <td>{random}</td>
              {found && <td class="learned">{learned}</td>}
              <td>{perfect}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">
        These numbers are exact, not sampled: all {facts.states.toLocaleString("en")} positions of the {size} x{" "}
        {size} board are solved. However well the lone king defends, {facts.worst_case_moves} moves are
        enough from any start.
      </p>
    </section>
  );
}

export function Curves({ facts, data }: { facts: EndgameFacts; data: EndgameData }) {
  const { episodes, mate_percent, mean_moves } = data.curves;
  if (episodes.length < 2) return null;
  const x = episodes.map((value) => value ?? 0);
  const always = (value: number) => x.map(() => value);
  return (
    <section class="card curves">
      <Chart
        title="Games won by mate, %"
        x={x}
        curves={[
          { name: "learned", values: mate_percent },
          { name: "random play", values: always(100 * facts.random_mate_probability) },
        ]}
        unit="games"
      />
      <Chart
        title="Moves per game; no line while some games never end"
        x={x}
        curves={[
          { name: "learned", values: mean_moves },
          { name: "perfect play", values: always(facts.optimal_mean_moves) },
        ]}
        unit="games"
      />
    </section>
  );
}

function percent(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : `${value.toFixed(1)} %`;
}

function moves(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : value.toFixed(2);
}

type MovesProps = { position: MiniPosition; onPlay: (move: string) => void };

export function Moves({ position, onPlay }: MovesProps) {
  const ranked = position.moves.toSorted((a, b) => b.exact - a.exact);
  const learns = position.learned !== null;
  return (
    <div class="worth">
      <table aria-label="All moves, the best first">
        <thead>
          <tr>
            <th scope="col">Move</th>
            <th scope="col">Exact</th>
            {learns && <th scope="col">Learned</th>}
            <th scope="col">Moves to mate</th>
          </tr>
        </thead>
        <tbody>
          {ranked.map((move) => (
            <tr key={move.name} class={move.is_best ? "best" : ""}>
              <td>
                <button onClick={() => onPlay(move.name)} aria-label={`Play ${move.name}`}>
                  {move.name}
                </button>
              </td>
              <td>{move.exact.toFixed(4)}</td>
              {learns && (
                <td class={move.name === position.learned?.best ? "chosen" : ""}>
                  {move.learned?.toFixed(4)}
                </td>
              )}
              <td>{move.ending === null ? move.expected_moves?.toFixed(2) : move.ending}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
