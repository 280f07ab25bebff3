// The score of a match: in figures, as a bar, in words, and how it came about.
import { useMemo } from "preact/hooks";
import { Chart } from "../../chart";
import { playerTitle } from "../../player_title";
import type { MatchData, Report } from "./types";
import { counted, eloText, scoreText, signed, verdict } from "./words";

export function Score({ match }: { match: MatchData }) {
  const [a, b] = match.players.map(playerTitle) as [string, string];
  const { report } = match;
  return (
    <>
      <p class="score" role="status">
        <strong>{scoreText(report)}</strong> <span class="quiet">for {a}</span>
      </p>
      <ResultBar {...report} />
      <p class="verdict">
        {verdict(report, a, b)} <span class="quiet elo">{eloText(report)}</span>
      </p>
      {report.sprt !== null && <p class="quiet sprt">{sprtText(match)}</p>}
      <Course match={match} />
      <Facts report={report} />
    </>
  );
}

type ResultBarProps = Pick<Report, "wins" | "draws" | "losses">;

export function ResultBar({ wins, draws, losses }: ResultBarProps) {
  const all = wins + draws + losses;
  const parts = { won: wins, drawn: draws, lost: losses };
  return (
    <span class="result-bar" role="img" aria-label={scoreText({ wins, draws, losses })}>
      {Object.entries(parts).map(([part, many]) => (
        <span key={part} class={part} style={{ flexGrow: all ? many / all : 0 }}>
          {all > 0 && many / all > 0.08 ? many : ""}
        </span>
      ))}
    </span>
  );
}

/** Score with its interval over games, up to the number that is planned. */
function Course({ match: { history, total, done } }: { match: MatchData }) {
  const percent = (shares: number[]) => shares.map((share) => +(100 * share).toFixed(1));
  const curves = useMemo(
    () => [
      { name: "score, %", values: percent(history.score) },
      { name: "at least", values: percent(history.low), edge: true },
      { name: "at most", values: percent(history.high), edge: true },
    ],
    [history],
  );
  return (
    <Chart
      title="Score, with what it could still be (95 % interval)"
      x={history.games}
      curves={curves}
      unit="games"
      xMost={Math.max(total, done)}
      yRange={[0, 100]}
    />
  );
}

function Facts({ report }: { report: Report }) {
  const ends = Object.entries(report.ends).map(
    ([why, many]) => `${why.replaceAll("_", " ")} ${many}`,
  );
  return (
    <details class="facts">
      <summary>More figures</summary>
      <dl>
        <dt>Score</dt>
        <dd>{(100 * report.score).toFixed(1)} %</dd>
        <dt>Likelihood that the first is stronger</dt>
        <dd>{(100 * report.los).toFixed(1)} %</dd>
        <dt>Pairs with 0, ½, 1, 1½, 2 points</dt>
        <dd>{report.pentanomial.join(", ")}</dd>
        <dt>Distinct games</dt>
        <dd>
          {report.distinct_games} of {report.games}
        </dd>
        <dt>Mean length</dt>
        <dd>{Math.round(report.mean_plies)} plies</dd>
        <dt>Ended by</dt>
        <dd>{ends.join(", ") || "nothing yet"}</dd>
        <dt>Forfeits</dt>
        <dd>{report.forfeits === 0 ? "none" : counted(report.forfeits, "game")}</dd>
      </dl>
    </details>
  );
}

function sprtText({ report: { sprt }, state }: MatchData): string {
  if (sprt === null) return "";
  const question = `Is it rather ${signed(sprt.elo0)} or ${signed(sprt.elo1)} Elo?`;
  if (sprt.verdict !== null)
    return `${question} Settled: rather ${signed(sprt.verdict === "H1" ? sprt.elo1 : sprt.elo0)}.`;
  const open = state === "finished" ? "So many games did not settle it." : "Not clear yet.";
  return `${question} ${open}`;
}
