// Variations as a tree: every move has a list of answers, the first of them is the main line.
import type { TreeData } from "../../types";

export type Node = { uci: string; san: string; children: Node[] };

/** From the start, the moves to a node; empty at the start. */
export type Path = Node[];

export function treeOf({ nodes }: TreeData): { root: Node; order: Node[] } {
  const root: Node = { uci: "", san: "", children: [] };
  const order: Node[] = [];
  for (const { parent, uci, san } of nodes) {
    const node = { uci, san, children: [] };
    const siblings = (parent < 0 ? root : order[parent]!).children;
    const same = siblings.find((one) => one.uci === uci);
    if (same === undefined) siblings.push(node);
    order.push(same ?? node);
  }
  return { root, order };
}

/** The main line of moves in UCI and SAN. */
export function lineTree(ucis: string[], sans: string[]): Node {
  const root: Node = { uci: "", san: "", children: [] };
  let at = root;
  ucis.forEach((uci, ply) => {
    const next = { uci, san: sans[ply] ?? uci, children: [] };
    at.children.push(next);
    at = next;
  });
  return root;
}

/** To a node and on from there by first answers to the end. */
export function lineThrough(root: Node, path: Path): Path {
  const line = [...path];
  for (let next = (path.at(-1) ?? root).children[0]; next; next = next.children[0]) line.push(next);
  return line;
}

export function pathTo(root: Node, wanted: Node): Path | null {
  if (root === wanted) return [];
  for (const child of root.children) {
    const rest = pathTo(child, wanted);
    if (rest !== null) return [child, ...rest];
  }
  return null;
}

export function hasVariations(root: Node): boolean {
  for (let at: Node | undefined = root; at; at = at.children[0]) if (at.children.length > 1) return true;
  return false;
}

/** Moves in UCI, variations in parentheses after the move that they replace. */
export function textOf(root: Node): string {
  return words(root).join(" ").replaceAll("( ", "(").replaceAll(" )", ")");
}

function words({ children: [first, ...others] }: Node): string[] {
  if (first === undefined) return [];
  const variations = others.flatMap((one) => ["(", one.uci, ...words(one), ")"]);
  return [first.uci, ...variations, ...words(first)];
}

/** All moves as they stand in the text. */
export function inOrder({ children: [first, ...others] }: Node): Node[] {
  if (first === undefined) return [];
  return [first, ...others.flatMap((one) => [one, ...inOrder(one)]), ...inOrder(first)];
}

/** Before its siblings, so that it is the main line from its parent on. */
export function promote(root: Node, path: Path): void {
  path.forEach((node, at) => {
    const parent = path[at - 1] ?? root;
    parent.children = [node, ...parent.children.filter((one) => one !== node)];
  });
}

export function removeLast(root: Node, path: Path): Path {
  const parent = path.at(-2) ?? root;
  parent.children = parent.children.filter((one) => one !== path.at(-1));
  return path.slice(0, -1);
}
