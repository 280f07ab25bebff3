// Who is likely to win: White's chances at the left, Black's at the right, draws between.
import { percent } from "./numbers";

export type Shares = [white: number, draw: number, black: number];

export function Chances({ shares, words }: { shares: Shares; words: string }) {
  const part = (name: string, share: number) => (
    <span class={name} style={{ width: `${100 * share}%` }} />
  );
  return (
    <div class="chances" role="img" aria-label={words} title={words}>
      {part("white", shares[0])}
      {part("draw", shares[1])}
      {part("black", shares[2])}
    </div>
  );
}

export function chancesInWords([white, draw, black]: Shares): string {
  return `White wins ${percent(white)}, draw ${percent(draw)}, Black wins ${percent(black)}`;
}
