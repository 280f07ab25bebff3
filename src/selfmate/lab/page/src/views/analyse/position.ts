// The position that is analysed: a place in a tree of moves. The address names it, so that it can be
// shared.
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../../api";
import { replacePlace } from "../../place";
import { useAttempt } from "../../problem";
import { useConnection } from "../../topics";
import type { PastedGame, PastedGames, PositionData, Problem, TreeData } from "../../types";
import { inOrder, lineThrough, lineTree, type Node, type Path, pathTo, promote, removeLast, textOf, treeOf } from "./tree";

const NO_TREE: Node = { uci: "", san: "", children: [] };

/** Starts with what a link contains: a position, a tree of moves from there, and a place in it. */
export function usePosition(link: URLSearchParams) {
  const [position, setPosition] = useState<PositionData | null>(null);
  const [pasted, setPasted] = useState<PastedGames | null>(null);
  const [game, setGame] = useState<PastedGame | null>(null);
  const { problem, attempt } = useAttempt();
  const root = useRef<Node>(NO_TREE);
  const path = useRef<Path>([]); // to the node on the board
  const newest = useRef(0);
  const wantedPly = useRef(0); // ahead of the answer

  /** Only the newest request counts; one that is refused leaves the position as it was. */
  async function load(start: string | null, tree: Node, to: Path, game_: PastedGame | null = game): Promise<boolean> {
    const number = ++newest.current;
    const line = lineThrough(tree, to);
    wantedPly.current = to.length;
    const body = { start, moves: line.map((node) => node.uci), ply: to.length };
    const found = await attempt(async () => answerOf(await post<PositionData | Problem>("analyse/position", body)));
    if (number !== newest.current) return false;
    if (found === null) {
      wantedPly.current = path.current.length;
      setPosition((now) => now && { ...now });
      return false;
    }
    line.forEach((node, ply) => (node.san = found.sans[ply] ?? node.uci));
    root.current = tree;
    path.current = to;
    setGame(game_);
    setPosition(found);
    return true;
  }

  /** A move that is there already is followed, another one begins a variation. */
  async function move(uci: string): Promise<boolean> {
    if (position === null) return false;
    const parent = path.current.at(-1) ?? root.current;
    const known = parent.children.find((one) => one.uci === uci);
    const node = known ?? { uci, san: uci, children: [] };
    if (known === undefined) parent.children.push(node);
    const made = await load(position.start, root.current, [...path.current, node]);
    if (!made && known === undefined) parent.children = parent.children.filter((one) => one !== node);
    return made;
  }

  async function read(text: string): Promise<boolean> {
    const found = await attempt(async () => answerOf(await post<PastedGames | Problem>("analyse/read", { text })));
    if (found === null) return false;
    setPasted(found);
    open(found.games[0]!);
    return true;
  }

  function open(chosen: PastedGame): void {
    void load(chosen.start, lineTree(chosen.moves, []), [], chosen.moves.length > 0 ? chosen : null);
  }

  useEffect(() => {
    setPasted(null);
    void openLink();
  }, [link]);

  const connection = useConnection();
  const before = useRef(connection);
  useEffect(() => {
    if (before.current !== "open" && connection === "open" && position === null) void openLink();
    before.current = connection;
  }, [connection]);

  async function openLink(): Promise<void> {
    const start = link.get("fen");
    const moves = link.get("moves") ?? "";
    const found = await attempt(async () => answerOf(await post<TreeData | Problem>("analyse/tree", { start, moves })));
    if (found === null) return loadStart();
    const { root: tree, order } = treeOf(found);
    const main = lineThrough(tree, []);
    const at = order[Number(link.get("at") ?? NaN) - 1];
    const to = at === undefined ? main.slice(0, Math.max(0, Number(link.get("ply") ?? 0))) : pathTo(tree, at)!;
    const linked = { title: "", start, moves: main.map((node) => node.uci) };
    await load(found.start, tree, to, main.length > 0 ? linked : null);
  }

  /** A link with a wrong position still shows a board, and the problem stays. */
  async function loadStart(): Promise<void> {
    const found = await post<PositionData | Problem>("analyse/position", {}).catch(() => null);
    if (found !== null && "fen" in found) setPosition((now) => now ?? found);
  }

  function go(to: Path): void {
    if (position !== null) void load(position.start, root.current, to);
  }

  function goTo(ply: number): void {
    const line = lineThrough(root.current, path.current);
    go(line.slice(0, Math.max(0, Math.min(ply, line.length))));
  }

  return {
    position,
    root: root.current,
    path: path.current,
    pasted,
    game,
    problem,
    read,
    open,
    move,
    goTo,
    goToNode: (node: Node) => go(pathTo(root.current, node) ?? []),
    step: (plies: number) => goTo(wantedPly.current + plies),
    backToGame: () => {
      if (position === null || game === null) return;
      go(lineThrough(lineTreeIn(root.current, game), []).slice(0, sharedPlies(position, game)));
    },
    promote: () => {
      promote(root.current, path.current);
      go(path.current);
    },
    remove: () => go(removeLast(root.current, path.current)),
  };
}

/** The game's own moves go first again. */
function lineTreeIn(root: Node, game: PastedGame): Node {
  const path: Path = [];
  for (const uci of game.moves) {
    const next = (path.at(-1) ?? root).children.find((one) => one.uci === uci);
    if (next === undefined) break;
    path.push(next);
  }
  promote(root, path);
  return root;
}

/** Keeps the address true: position, tree and players. It can be copied, reloaded and opened again. */
export function useAddress(position: PositionData | null, root: Node, path: Path, players: string[]): void {
  const moves = textOf(root);
  const node = path.at(-1);
  const at = node === undefined ? 0 : inOrder(root).indexOf(node) + 1;
  useEffect(() => {
    if (position === null || players.length === 0) return;
    const about = new URLSearchParams({ fen: position.start, moves, at: String(at) });
    for (const player of players) about.append("player", player);
    replacePlace("analyse", about);
  }, [position, moves, at, players.join("\n")]);
}

export function isInGame(position: PositionData, game: PastedGame): boolean {
  return position.moves.length === game.moves.length && sharedPlies(position, game) === game.moves.length;
}

function sharedPlies(position: PositionData, game: PastedGame): number {
  const differs = game.moves.findIndex((move, at) => move !== position.moves[at]);
  return differs < 0 ? game.moves.length : differs;
}

/** Throws the problem of an answer to something that people may get wrong. */
export function answerOf<Answer extends object>(answer: Answer | Problem): Answer {
  if ("problem" in answer) throw new Error(answer.problem);
  return answer;
}
