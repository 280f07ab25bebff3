"""PUCT as plainly as it can be written: one walk after the other, boards copied, no cleverness."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from selfmate.rules import Board

# Of a board: logits of its legal moves by UCI, and chances to win, draw, lose of the side to move.
Evaluate = Callable[[Board], tuple[dict[str, float], NDArray[np.float32]]]


@dataclass
class SlowEdge:
    move: str
    prior: float
    child: "SlowNode | None" = None
    visits: int = 0
    value_sum: float = 0.0
    proven: int = 0


@dataclass
class SlowNode:
    board: Board
    is_root: bool = False
    visits: int = 0
    value_sum: float = 0.0
    proven: int = 0
    plies_to_mate: int = 0
    drawn: bool = False
    edges: list[SlowEdge] = field(default_factory=list)

    @property
    def value(self) -> float:
        return self.value_sum / self.visits


@dataclass(frozen=True)
class SlowSearch:
    evaluate: Evaluate
    c_puct: float = 1.5
    fpu_reduction: float = 0.25

    def run(self, board: Board, simulations: int) -> SlowNode:
        root = SlowNode(board.copy(), is_root=True)
        self._arrive([], root)
        for _ in range(simulations):
            if root.proven:
                break
            self._walk(root)
        return root

    def _walk(self, root: SlowNode) -> None:
        path: list[tuple[SlowNode, SlowEdge]] = []
        node = root
        while node.edges and not (node.proven and not node.is_root):
            edge = self._select(node)
            path.append((node, edge))
            if edge.child is None:
                after = node.board.copy()
                after.push(edge.move, past_draw=True)
                edge.child = SlowNode(after)
                node = edge.child
                break
            node = edge.child
        self._arrive(path, node)

    def _select(self, node: SlowNode) -> SlowEdge:
        tried = sum(edge.prior for edge in node.edges if edge.visits)
        untried = node.value - self.fpu_reduction * math.sqrt(tried)
        reach = self.c_puct * math.sqrt(max(1, sum(edge.visits for edge in node.edges)))

        def score(edge: SlowEdge) -> float:
            value = edge.value_sum / edge.visits if edge.visits else untried
            return value + reach * edge.prior / (1 + edge.visits)

        return max((edge for edge in node.edges if edge.proven >= 0), key=score)

    def _arrive(self, path: list[tuple[SlowNode, SlowEdge]], node: SlowNode) -> None:
        if not node.visits:
            self._look(node)
        if node.drawn or (node.proven and not node.is_root):
            value = float(node.proven)
        elif node.visits:
            raise AssertionError("walks go on where there are moves")
        else:
            value = self._expand(node)
        self._back_up(path, node, value)

    def _look(self, node: SlowNode) -> None:
        """Who can mate at once has won; what ends the game needs no evaluation."""
        outcome = node.board.outcome()
        if outcome is not None and outcome.reason == "checkmate":
            node.proven = -1
        elif outcome is not None and not node.is_root:
            node.drawn = True
        elif any(_mates(node.board, move) for move in node.board.legal_moves()):
            node.proven, node.plies_to_mate = 1, 1

    def _expand(self, node: SlowNode) -> float:
        logits, wdl = self.evaluate(node.board)
        most = max(logits.values())
        total = sum(math.exp(logit - most) for logit in logits.values())
        edges = [SlowEdge(m, math.exp(logit - most) / total) for m, logit in logits.items()]
        node.edges = sorted(edges, key=lambda edge: -edge.prior)
        for edge in node.edges:
            edge.proven = int(_mates(node.board, edge.move))
        return float(wdl[0] - wdl[2])

    def _back_up(self, path: list[tuple[SlowNode, SlowEdge]], node: SlowNode, value: float) -> None:
        node.visits += 1
        node.value_sum += value
        for parent, edge in reversed(path):
            value = -value
            edge.visits += 1
            edge.value_sum += value
            _prove(parent, edge)
            if parent.proven:
                value = float(parent.proven)
            parent.visits += 1
            parent.value_sum += value


def _prove(node: SlowNode, edge: SlowEdge) -> None:
    assert edge.child is not None
    if not edge.child.proven:
        return
    edge.proven = -edge.child.proven
    plies = edge.child.plies_to_mate + 1
    if edge.proven > 0:
        node.plies_to_mate = min(node.plies_to_mate, plies) if node.proven > 0 else plies
        node.proven = 1
    elif all(one.proven < 0 for one in node.edges):
        node.proven = -1
        node.plies_to_mate = 1 + max(e.child.plies_to_mate for e in node.edges if e.child)


def _mates(board: Board, move: str) -> bool:
    after = board.copy()
    after.push(move, past_draw=True)
    outcome = after.outcome()
    return outcome is not None and outcome.reason == "checkmate"
