// A chess board of any size, and the choice of a promotion. It knows no rules: the legal moves are
// given.
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
  /** Destinations by square; without them the board is view-only. */
  moves?: Record<string, string[]>;
  onMove?: (from: string, to: string) => void;
  /** Who may move ahead of their turn; such a move is made when it has become legal. */
  premover?: Color | null;
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
    if (Object.keys(props.moves ?? {}).length > 0) board.current?.playPremove();
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
    premovable: { enabled: Boolean(props.premover) },
    movable: {
      free: false,
      showDests: true,
      dests: new Map(Object.entries(props.moves ?? {})) as Dests,
    },
  };
  if (props.turn !== undefined) {
    config.turnColor = props.turn;
    // Without moves no piece can be picked up: chessground takes an undefined colour for that.
    const mover = Object.keys(props.moves ?? {}).length > 0 ? props.turn : undefined;
    const color = mover ?? props.premover ?? undefined;
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

const PIECES = { q: "Queen", n: "Knight", r: "Rook", b: "Bishop" } as const;
const SQUARES = 8;

type Props = {
  to: string;
  color: Color;
  orientation: Color;
  onChoose: (piece: string) => void;
  onCancel: () => void;
};

export function Promotion({ to, color, orientation, onChoose, onCancel }: Props) {
  const first = useRef<HTMLButtonElement>(null);
  // At once, so that no key is lost between the move and the question.
  useLayoutEffect(() => {
    first.current?.focus();
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "Escape") onCancel();
      else if (event.key.toLowerCase() in PIECES) onChoose(event.key.toLowerCase());
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const file = to.charCodeAt(0) - "a".charCodeAt(0);
  const column = orientation === "white" ? file : SQUARES - 1 - file;
  const place = color === orientation ? { top: "0" } : { bottom: "0" };
  return (
    <div class="promotion" role="dialog" aria-modal="true" aria-label="Promote to">
      <div class="away" onClick={onCancel} />
      <div
        class={`choice cg-wrap ${color === orientation ? "down" : "up"}`}
        style={{ left: `${(100 / SQUARES) * column}%`, ...place }}
      >
        {Object.entries(PIECES).map(([letter, name], at) => (
          <button
            type="button"
            key={letter}
            ref={at === 0 ? first : undefined}
            aria-label={name}
            title={`${name} (${letter.toUpperCase()})`}
            onClick={() => onChoose(letter)}
          >
            <piece class={`${letter}-piece ${color}`} />
          </button>
        ))}
      </div>
    </div>
  );
}

declare module "preact" {
  namespace JSX {
    interface IntrinsicElements {
      piece: { class: string; key?: number };
    }
  }
}
