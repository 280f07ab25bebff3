// The score of a match: in numbers, as a bar, in words, and over the games.
import { useMemo } from "preact/hooks";
import { Chart } from "../../chart";
import { count, playerTitle, signed } from "../../format";
import type { GameRow, MatchData, MatchReport } from "../../types";

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
      <ScoreChart match={match} />
      <Facts report={report} />
    </>
  );
}

type ResultBarProps = Pick<MatchReport, "wins" | "draws" | "losses">;

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

/** Over the games, up to the planned number. */
function ScoreChart({ match: { history, total, done } }: { match: MatchData }) {
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
      title="Score with its 95 % interval, %"
      x={history.games}
      curves={curves}
      unit="games"
      xMost={Math.max(total, done)}
      yRange={[0, 100]}
    />
  );
}

function Facts({ report }: { report: MatchReport }) {
  const ends = Object.entries(report.ends).map(
    ([why, many]) => `${why.replaceAll("_", " ")} ${many}`,
  );
  return (
    <details class="facts">
      <summary>More numbers</summary>
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
        <dd>{count(Math.round(report.mean_plies), "plies")}</dd>
        <dt>Ended by</dt>
        <dd>{ends.join(", ") || "nothing yet"}</dd>
        <dt>Forfeits</dt>
        <dd>{report.forfeits === 0 ? "none" : count(report.forfeits, "games")}</dd>
      </dl>
    </details>
  );
}

function sprtText({ report: { sprt }, state }: MatchData): string {
  if (sprt === null) return "";
  const question = `Is the difference rather ${signed(sprt.elo0)} or ${signed(sprt.elo1)} Elo?`;
  if (sprt.verdict !== null)
    return `${question} Settled: rather ${signed(sprt.verdict === "H1" ? sprt.elo1 : sprt.elo0)}.`;
  const open = state === "finished" ? "These games did not settle it." : "Not clear yet.";
  return `${question} ${open}`;
}

export function scoreText({ wins, draws, losses }: Pick<MatchReport, "wins" | "draws" | "losses">) {
  return [count(wins, "wins"), count(draws, "draws"), count(losses, "losses")].join(", ");
}

/** Elo of the first player above the second. */
export function eloText({ games, elo, elo_low, elo_high }: MatchReport): string {
  if (games === 0) return "No game has ended yet.";
  const sure = "with 95 % confidence";
  if (elo !== null && elo_low !== null && elo_high !== null)
    return `${signed(elo)} Elo, between ${signed(elo_low)} and ${signed(elo_high)} ${sure}`;
  if (elo_low !== null) return `More than ${signed(elo_low)} Elo ${sure}: every game was won`;
  if (elo_high !== null) return `Less than ${signed(elo_high)} Elo ${sure}: every game was lost`;
  return "";
}

const FEW_GAMES = 6;

/** Which player is stronger, without Elo. */
export function verdict({ games, los }: MatchReport, a: string, b: string): string {
  if (games < FEW_GAMES) return "Too early to say which is stronger.";
  const [leader, sure] = los >= 0.5 ? [a, los] : [b, 1 - los];
  if (sure > 0.975) return `${leader} is stronger, almost certainly.`;
  if (sure > 0.9) return `${leader} is probably stronger.`;
  return "Too close to call: it could be chance.";
}

/** Whether the first player has White. */
export function firstIsWhite(number: number): boolean {
  return number % 2 === 0;
}

export function gameText(game: GameRow): string {
  const reason = game.reason === "ply limit" ? "truncated at the ply limit" : game.reason;
  const how = game.forfeit ? `forfeit: ${reason}` : reason;
  return `${how}, ${count(Math.ceil(game.plies / 2), "moves")}`;
}

export function outcomeOf(game: GameRow): "won" | "drawn" | "lost" {
  return game.points === 1 ? "won" : game.points === 0 ? "lost" : "drawn";
}
