// How good a learner is, beside chance and perfection, and how it got there.
import { Chart } from "../../chart";
import type { Facts, RunNews } from "./types";

type Row = [title: string, random: string, learned: string, perfect: string];

export function Figures({ size, facts, news }: { size: number; facts: Facts; news: RunNews | null }) {
  const found = news?.evaluation ?? null;
  const rows: Row[] = [
    [
      "Games won by mate",
      percent(100 * facts.random_mate_probability),
      percent(found?.mate_percent),
      percent(100 * facts.best_mate_probability),
    ],
    [
      "Moves a game",
      moves(facts.random_mean_moves),
      found && found.mean_moves === null ? "some never end" : moves(found?.mean_moves),
      moves(facts.optimal_mean_moves),
    ],
  ];
  if (found !== null)
    rows.push(
      ["Best move found", "", percent(found.optimal_move_percent), "100 %"],
      ["Reward lost to perfect play", "", found.regret.toFixed(4), "0"],
    );
  return (
    <section class="card figures">
      <h2>How good is it?</h2>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">Any move</th>
            {found && <th scope="col">{news?.name}</th>}
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
        Exact figures, nothing is sampled: all {facts.states.toLocaleString("en")} positions of the {size} x{" "}
        {size} board are solved. However well the lone king defends, {facts.worst_case_moves} moves are
        enough from any start.
      </p>
    </section>
  );
}

export function Curves({ facts, news }: { facts: Facts; news: RunNews }) {
  const { episodes, mate_percent, mean_moves } = news.curves;
  if (episodes.length < 2) return null;
  const x = episodes.map((value) => value ?? 0);
  const always = (value: number) => x.map(() => value);
  return (
    <section class="card curves">
      <Chart
        title="Games won by mate, in per cent"
        x={x}
        curves={[
          { name: "learned", values: mate_percent },
          { name: "any move", values: always(100 * facts.random_mate_probability) },
        ]}
        unit="games"
      />
      <Chart
        title="Moves a game; no line while some games never end"
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

function percent(value: number | undefined): string {
  return value === undefined ? "" : `${value.toFixed(1)} %`;
}

function moves(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : value.toFixed(2);
}
