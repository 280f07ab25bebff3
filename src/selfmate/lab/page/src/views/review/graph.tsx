// White's expected points over the game; a click shows the position.
import { percent } from "../../format";
import type { ReviewedPosition } from "../../types";

const WIDTH = 600;
const HEIGHT = 140;
const EDGE = 6; // marks stay inside

type Props = { positions: ReviewedPosition[]; shown: number; onGo: (to: number) => void };

export function PointsGraph({ positions, shown, onGo }: Props) {
  const x = (at: number) => (positions.length < 2 ? 0 : (WIDTH * at) / (positions.length - 1));
  const y = (points: number) => HEIGHT * (1 - points);
  const known = positions.flatMap((one, at) => (one.white_points === null ? [] : [{ at, points: one.white_points }]));
  const line = known.map(({ at, points }) => `${x(at)},${y(points)}`).join(" ");
  const area = known.length > 0 ? `0,${HEIGHT} ${line} ${x(known.at(-1)!.at)},${HEIGHT}` : "";
  const click = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    onGo(Math.round(((event.clientX - box.left) / box.width) * (positions.length - 1)));
  };
  return (
    <svg
      class="points"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={graphText(positions)}
      onClick={click}
    >
      <rect class="black" width={WIDTH} height={HEIGHT} />
      <polygon class="white" points={area} />
      <line class="even" x1="0" x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      <line class="now" x1={x(shown)} x2={x(shown)} y1="0" y2={HEIGHT} />
      {positions.map((one, at) =>
        one.mark === null || one.white_points === null ? null : (
          <g key={at} class={`mark ${one.mark}`}>
            <title>{`${one.san}: ${one.mark}, ${percent(one.loss!)}`}</title>
            {["edge", "dot"].map((part) => (
              <path key={part} class={part} d={`M${x(at)} ${inside(y(one.white_points!))}h0`} />
            ))}
          </g>
        ),
      )}
    </svg>
  );
}

function inside(y: number): number {
  return Math.min(HEIGHT - EDGE, Math.max(EDGE, y));
}

function graphText(positions: ReviewedPosition[]): string {
  const last = positions.findLast((one) => one.white_points !== null);
  const points = last?.white_points ?? 0.5;
  return `White's chances over the game; at last ${percent(points)} for White`;
}
