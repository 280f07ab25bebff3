// What a player thought of its move: a bar, a line, and the moves it had in mind.
import type { Arrow } from "../../board";
import { Chances, chancesInWords, type Shares } from "../../chances";
import { percent } from "../../numbers";
import type { Considered, Game, Ply, Thought } from "./game";

/** The newest move up to the one shown that a player made, if it said something of it. */
export function thoughtAt(game: Game, shown: number): Ply | null {
  const made = game.moves.slice(0, shown).findLast((ply) => ply.side !== game.person);
  const thought = made?.thought;
  if (!made || !thought) return null;
  return thought.value !== null || thought.considered.some((one) => one.share !== null) ? made : null;
}

export function arrowsOf(thought: Thought): Arrow[] {
  const most = Math.max(...thought.considered.map((one) => one.share ?? 0));
  return thought.considered.map((one, rank) => ({
    from: one.move.slice(0, 2),
    to: one.move.slice(2, 4),
    brush: one.san === thought.san ? "green" : "blue",
    width: one.share === null || most === 0 ? 9 - 1.5 * rank : 2.5 + 7 * (one.share / most),
  }));
}

/** Whether it is ahead or behind, and how it expects the game to go on. */
export function Judgement({ ply, name }: { ply: Ply; name: string }) {
  const thought = ply.thought!;
  if (thought.value === null) return null;
  return (
    <div class="judged">
      <Chances shares={sharesOf(ply, thought)} words={wordsOf(sharesOf(ply, thought), thought)} />
      <p>
        {name}: {thought.judgement ?? wordsOf(sharesOf(ply, thought), thought)}
      </p>
      {thought.line.length > 1 && (
        <p>
          <span class="quiet">It expects</span> {thought.line.join(" ")}
        </p>
      )}
    </div>
  );
}

/** The moves it had in mind, the likeliest first. */
export function Minded({ ply, name }: { ply: Ply; name: string }) {
  const thought = ply.thought!;
  return (
    <table class="minded" aria-label={`Moves that ${name} had in mind`}>
      <tbody>
        {thought.considered.map((one) => (
          <Row key={one.move} one={one} chosen={one.san === thought.san} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ one, chosen }: { one: Considered; chosen: boolean }) {
  return (
    <tr class={chosen ? "chosen" : undefined}>
      <th scope="row">{one.san}</th>
      {one.share !== null && (
        <td class="share">
          <span style={{ width: `${100 * one.share}%` }} />
        </td>
      )}
      <td class="figure">{one.share !== null ? percent(one.share) : (one.score ?? "")}</td>
      {one.visits !== null && (
        <td class="visits quiet">
          {one.visits.toLocaleString("en")} {one.visits === 1 ? "visit" : "visits"}
        </td>
      )}
    </tr>
  );
}

function sharesOf(ply: Ply, thought: Thought): Shares {
  const half = (1 + (thought.value ?? 0)) / 2;
  const [win, draw, loss] = thought.wdl ?? [half, 0, 1 - half];
  return ply.side === "white" ? [win, draw, loss] : [loss, draw, win];
}

function wordsOf(shares: Shares, thought: Thought): string {
  if (thought.wdl !== null) return chancesInWords(shares);
  return `How good it looks: White ${percent(shares[0])}, Black ${percent(shares[2])}`;
}
