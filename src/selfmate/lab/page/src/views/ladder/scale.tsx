// Ratings as dots with their intervals, the strongest first.
import { useState } from "preact/hooks";
import { playerTitle, signed } from "../../format";
import { linkTo } from "../../place";
import type { LadderData, RatedPlayer } from "../../types";

const STOCKFISH = "stockfish";

export function Scale({ ladder }: { ladder: LadderData }) {
  const tied = ladder.on_stockfish_scale;
  const [wanted, setWanted] = useState(STOCKFISH);
  const onStockfish = tied !== null && wanted === STOCKFISH;
  const players = onStockfish ? tied : ladder.players;
  const span = spanOf(players);
  return (
    <>
      <div class="line scale-choice">
        {tied !== null && (
          <label>
            <span>Scale</span>
            <select value={wanted} onChange={(event) => setWanted(event.currentTarget.value)}>
              <option value={STOCKFISH}>Stockfish's own levels</option>
              <option value="random">Random is zero</option>
            </select>
          </label>
        )}
        <p class="quiet">
          {onStockfish
            ? "Elo, shifted so that Stockfish's levels fit their names best."
            : "Elo, with the player that moves at random at zero."}{" "}
          A line is the 95 % interval of a rating; your own runs are green.
        </p>
      </div>
      <table class="scale">
        <thead>
          <tr>
            <th scope="col">Player</th>
            <th scope="col">Elo</th>
            <th scope="col" class="drawing">
              <Axis span={span} />
            </th>
            <th scope="col">Games</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {players.map((player) => (
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
          {tick}
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
    <tr class={player.trained ? "trained" : ""}>
      <th scope="row">{title}</th>
      <td class="elo">
        <b>{signed(player.elo)}</b> <span class="quiet">{intervalText(player)}</span>
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
  if (low !== null && high !== null)
    return low === high ? "by definition" : `${signed(low)} to ${signed(high)}`;
  if (low !== null) return `at lowest ${signed(low)}`;
  return high !== null ? `at highest ${signed(high)}` : "anywhere";
}
