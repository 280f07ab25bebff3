// Which piece a pawn becomes: four pieces on the board where it arrives.
import type { Color } from "chessgroundx/types";
import { useLayoutEffect, useRef } from "preact/hooks";
import "./promotion.css";

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
      piece: { class: string };
    }
  }
}
