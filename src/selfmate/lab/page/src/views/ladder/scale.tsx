// Ratings as dots with their intervals, the strongest first.
import { elo, playerTitle } from "../../format";
import { linkTo } from "../../place";
import type { LadderData, RatedPlayer } from "../../types";

export function Scale({ ladder }: { ladder: LadderData }) {
  const span = spanOf(ladder.players);
  return (
    <>
      <p class="quiet">
        {ladder.scale}; Lichess, chess.com and FIDE count on other scales. A line is the 95 % interval of a rating. Your
        own runs are green; the rungs that everyone is measured by are grey. Nets that ship were rated before they
        shipped. <code>docs/how-to/read-ratings.md</code> says more.
      </p>
      {ladder.left_out !== null && <p class="quiet">{ladder.left_out}.</p>}
      <table class="scale">
        <thead>
          <tr>
            <th scope="col">Player</th>
            <th scope="col">Rating</th>
            <th scope="col" class="drawing">
              <Axis span={span} />
            </th>
            <th scope="col">Games</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {ladder.players.map((player) => (
            <Row key={player.name} player={player} span={span} />
          ))}
        </tbody>
      </table>
    </>
  );
}

type Span = { from: number; to: number; step: number };

const STEPS = [50, 100, 200, 500, 1000, 2000];
const MAX_STEPS = 6;

/** Round numbers around all ratings and their intervals. */
function spanOf(players: RatedPlayer[]): Span {
  const lowest = Math.min(...players.map((player) => player.low ?? player.elo));
  const highest = Math.max(...players.map((player) => player.high ?? player.elo));
  const step = STEPS.find((one) => (highest - lowest) / one <= MAX_STEPS) ?? 5000;
  const from = Math.floor(lowest / step) * step;
  return { from, to: Math.max(Math.ceil(highest / step) * step, from + step), step };
}

function share(elo: number, { from, to }: Span): string {
  return `${(100 * (elo - from)) / (to - from)}%`;
}

function ticksOf({ from, to, step }: Span): number[] {
  return Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step);
}

function Axis({ span }: { span: Span }) {
  return (
    <div class="track axis" aria-hidden="true">
      {ticksOf(span).map((tick) => (
        <span key={tick} style={{ left: share(tick, span) }}>
          {elo(tick)}
        </span>
      ))}
    </div>
  );
}

function Row({ player, span }: { player: RatedPlayer; span: Span }) {
  const title = playerTitle(player.name);
  const low = player.low ?? span.from;
  const high = player.high ?? span.to;
  const open = [player.low === null && "open-low", player.high === null && "open-high"];
  return (
    <tr class={player.kind}>
      <th scope="row">
        {title}
        {player.kind === "shipped" && <small class="quiet"> rated when it shipped</small>}
      </th>
      <td class="elo">
        <b>{elo(player.elo)}</b> <span class="quiet">{intervalText(player)}</span>
      </td>
      <td class="drawing">
        <div class="track" aria-hidden="true">
          {ticksOf(span).map((tick) => (
            <i key={tick} style={{ left: share(tick, span) }} />
          ))}
          <span
            class={["interval", ...open].filter(Boolean).join(" ")}
            style={{ left: share(low, span), right: `calc(100% - ${share(high, span)})` }}
          />
          <span class="dot" style={{ left: share(player.elo, span) }} />
        </div>
      </td>
      <td class="games">{player.games}</td>
      <td class="ways">
        <a href={linkTo("play", { player: player.name })} aria-label={`Play ${title}`}>
          Play
        </a>{" "}
        <a href={linkTo("match", { a: player.name })} aria-label={`Match with ${title}`}>
          Match
        </a>
      </td>
    </tr>
  );
}

function intervalText({ low, high }: RatedPlayer): string {
  if (low !== null && high !== null) return `(${elo(low)} to ${elo(high)})`;
  if (low !== null) return `(above ${elo(low)})`;
  return high !== null ? `(below ${elo(high)})` : "(unknown)";
}
