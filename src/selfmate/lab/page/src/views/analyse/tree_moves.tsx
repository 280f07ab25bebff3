// A tree of moves as text: the main line, and its variations in parentheses where they branch off.
import type { ComponentChildren } from "preact";
import type { Node } from "./tree";

type Props = { start: string; root: Node; current: Node | null; onGo: (node: Node) => void };

export function TreeMoves({ start, root, current, onGo }: Props) {
  const [, turn, , , , first = "1"] = start.split(" ");
  const ply = 2 * (Number(first) - 1) + (turn === "b" ? 1 : 0);
  return (
    <div class="moves tree" role="list" aria-label="Moves">
      <Line parent={root} ply={ply} starts current={current} onGo={onGo} />
    </div>
  );
}

type LineProps = {
  parent: Node;
  /** Of the first move, counted from the start of a game. */
  ply: number;
  /** Whether a number is needed before Black's move. */
  starts: boolean;
  current: Node | null;
  onGo: (node: Node) => void;
};

function Line({ parent, ply, starts, current, onGo }: LineProps) {
  const parts: ComponentChildren[] = [];
  let needsNumber = starts;
  for (let at = parent; at.children.length > 0; at = at.children[0]!, ply += 1) {
    const [main, ...others] = at.children;
    parts.push(<Move key={ply} node={main!} ply={ply} numbered={needsNumber} isCurrent={main === current} onGo={onGo} />);
    needsNumber = others.length > 0;
    for (const other of others)
      parts.push(
        <div class="variation" key={`${ply} ${other.uci}`}>
          <Move node={other} ply={ply} numbered isCurrent={other === current} onGo={onGo} />
          <Line parent={other} ply={ply + 1} starts={false} current={current} onGo={onGo} />
        </div>,
      );
  }
  return <>{parts}</>;
}

type MoveProps = { node: Node; ply: number; numbered: boolean; isCurrent: boolean; onGo: (node: Node) => void };

function Move({ node, ply, numbered, isCurrent, onGo }: MoveProps) {
  const number = ply % 2 === 0 ? `${ply / 2 + 1}.` : numbered ? `${(ply + 1) / 2}...` : "";
  return (
    <span class="move" role="listitem">
      {number && <span class="quiet">{number}</span>}
      <button type="button" aria-current={isCurrent ? "true" : undefined} onClick={() => onGo(node)}>
        {node.san}
      </button>
    </span>
  );
}
