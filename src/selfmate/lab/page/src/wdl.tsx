// Probabilities of the results as a bar: White wins at the left, Black at the right, draws between.
import { percent } from "./format";

export type ResultShares = [white: number, draw: number, black: number];

export function WdlBar({ shares, label }: { shares: ResultShares; label: string }) {
  const part = (name: string, share: number) => (
    <span class={name} style={{ width: `${100 * share}%` }} />
  );
  return (
    <div class="wdl" role="img" aria-label={label} title={label}>
      {part("white", shares[0])}
      {part("draw", shares[1])}
      {part("black", shares[2])}
    </div>
  );
}

export function wdlText([white, draw, black]: ResultShares): string {
  return `White wins ${percent(white)}, draw ${percent(draw)}, Black wins ${percent(black)}`;
}
