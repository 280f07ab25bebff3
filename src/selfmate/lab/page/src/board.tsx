// A chess board of any size. It knows no rules: whoever shows it says which moves there are.
import { Chessground } from "chessgroundx";
import type { Api } from "chessgroundx/api";
import type { Config } from "chessgroundx/config";
import type { DrawShape } from "chessgroundx/draw";
import type { Color, Dests, Key } from "chessgroundx/types";
import { useLayoutEffect, useRef } from "preact/hooks";

export type Arrow = { from: string; to?: string; brush?: string; width?: number };

export type BoardProps = {
  fen: string;
  size?: number;
  orientation?: Color;
  turn?: Color;
  check?: boolean;
  lastMove?: [string, string] | null;
  /** Squares to squares; none: the board is only looked at, and stays so. */
  moves?: Record<string, string[]>;
  onMove?: (from: string, to: string) => void;
  arrows?: Arrow[];
  label: string;
};

export function Board(props: BoardProps) {
  const element = useRef<HTMLDivElement>(null);
  const board = useRef<Api | null>(null);
  const onMove = useRef(props.onMove);
  onMove.current = props.onMove;
  // Both effects at once, not after painting: what is gone from the page must not be drawn on.
  useLayoutEffect(() => {
    const at = element.current;
    if (at === null) return;
    const api = Chessground(at, {
      ...configOf(props),
      premovable: { enabled: false },
      drawable: { enabled: true },
      disableContextMenu: true,
      animation: { enabled: !reducedMotion(), duration: 180 },
    });
    board.current = api;
    const resized = new ResizeObserver(() => api.redrawAll());
    resized.observe(at);
    return () => {
      resized.disconnect();
      api.state.drawable.autoShapes = []; // else a last frame draws them on what has no size
      api.destroy();
    };
  }, [props.size]);
  useLayoutEffect(() => {
    const config = configOf(props);
    config.movable = {
      ...config.movable,
      events: { after: (from, to) => onMove.current?.(from, to) },
    };
    board.current?.set(config);
    board.current?.setAutoShapes((props.arrows ?? []).map(shapeOf));
  });
  const size = props.size ?? 8;
  // The board remembers where it is; what is above it may have pushed it elsewhere since.
  const lookAgain = () => board.current?.state.dom.bounds.clear();
  return (
    <div
      class={`board size${size}`}
      role="img"
      aria-label={props.label}
      onMouseDownCapture={lookAgain}
      onTouchStartCapture={lookAgain}
    >
      <div ref={element} />
    </div>
  );
}

function configOf(props: BoardProps): Config {
  const size = props.size ?? 8;
  const config: Config = {
    fen: props.fen,
    orientation: props.orientation ?? "white",
    check: props.check ?? false,
    lastMove: (props.lastMove ?? []) as Key[],
    viewOnly: props.moves === undefined,
    dimensions: { width: size, height: size },
    coordinates: true,
    movable: {
      free: false,
      showDests: true,
      dests: new Map(Object.entries(props.moves ?? {})) as Dests,
    },
  };
  if (props.turn !== undefined) {
    config.turnColor = props.turn;
    // Without moves nobody's pieces can be picked up; chessground takes an undefined colour so.
    const color = Object.keys(props.moves ?? {}).length > 0 ? props.turn : undefined;
    config.movable = { ...config.movable, color } as NonNullable<Config["movable"]>;
  }
  return config;
}

function shapeOf(arrow: Arrow): DrawShape {
  const shape: DrawShape = { orig: arrow.from as Key, brush: arrow.brush ?? "green" };
  if (arrow.to !== undefined) shape.dest = arrow.to as Key;
  if (arrow.width !== undefined) shape.modifiers = { lineWidth: arrow.width };
  return shape;
}

function reducedMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
