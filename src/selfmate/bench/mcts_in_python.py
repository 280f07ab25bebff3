"""A tree search as one writes it in Python, over python-chess: PUCT, virtual loss, batches.

It takes the numbers of ours and goes the same ways, but proves no mates, which spares it a look at
what every move of every leaf would do.
"""

import math
from collections.abc import Callable
from typing import Generic, TypeVar

import chess
import numpy as np
from numpy.typing import NDArray

from selfmate.search.tree import TreeSettings

Floats = NDArray[np.float64]
Seen = TypeVar("Seen")
# What is to be known of a leaf, taken down while the board stands there.
Look = Callable[[chess.Board, list[chess.Move]], Seen]
# For every leaf its value for the side to move, and how likely each of its moves is.
Judge = Callable[[list[Seen]], list[tuple[float, Floats]]]
NOTHING: Floats = np.zeros(0)


class Node:
    """Values are for the side to move here; those of its moves count walks under way as lost."""

    __slots__ = ("begun", "children", "ending", "is_waiting", "moves", "priors", "sums", "tries",
                 "value_sum", "visits")  # fmt: skip

    def __init__(self) -> None:
        self.moves: list[chess.Move] = []
        self.priors = self.tries = self.sums = NOTHING  # of the moves, once it is evaluated
        self.children: dict[int, Node] = {}
        self.begun = self.visits = 0  # walks from here, walks that came back
        self.value_sum = 0.0
        self.ending: float | None = None  # its value when the game is over
        self.is_waiting = False  # for its evaluation


Path = list[tuple[Node, int]]


class PythonMcts(Generic[Seen]):
    def __init__(
        self, look: "Look[Seen]", judge: "Judge[Seen]", settings: TreeSettings, *, batch: int
    ) -> None:
        self._look, self._judge, self._batch = look, judge, batch
        self._settings = settings
        self.evaluations = 0

    def search(self, board: chess.Board, simulations: int) -> Node:
        """The root of a new tree, for a game that is not over."""
        root = Node()
        begun = -1  # the root's own evaluation is no simulation
        while begun < simulations:
            leaves = list[tuple[Path, Node, Seen]]()
            while begun < simulations and len(leaves) < self._batch:
                path, node = self._descend(root, board)
                is_leaf = self._arrive(path, node, board, leaves)
                for _ in path:
                    board.pop()
                if not is_leaf:
                    break
                begun += 1
            self._receive(leaves)
        return root

    def _descend(self, root: Node, board: chess.Board) -> tuple[Path, Node]:
        path, node = Path(), root
        while len(node.priors):
            at = self._select(node)
            path.append((node, at))
            self._begin(node, at, 1)
            board.push(node.moves[at])
            if at not in node.children:
                node.children[at] = Node()
            node = node.children[at]
        return path, node

    def _select(self, node: Node) -> int:
        settings, tried = self._settings, node.tries > 0
        untried = node.value_sum / node.visits
        untried -= settings.fpu_reduction * math.sqrt(node.priors @ tried)
        values = np.where(tried, node.sums / np.maximum(node.tries, 1), untried)
        reach = settings.c_puct * math.sqrt(max(1, node.begun))
        return int(np.argmax(values + reach * node.priors / (1 + node.tries)))

    def _begin(self, node: Node, at: int, walks: int) -> None:
        """A walk under way counts as lost; -1 takes it back."""
        node.begun += walks
        node.tries[at] += walks
        node.sums[at] -= walks * self._settings.virtual_loss

    def _arrive(
        self, path: Path, node: Node, board: chess.Board, leaves: list[tuple[Path, Node, Seen]]
    ) -> bool:
        """False where another walk has its leaf: the batch is as large as it can be."""
        if node.is_waiting:
            for parent, at in path:
                self._begin(parent, at, -1)
            return False
        if not node.visits:
            node.moves = list(board.legal_moves)
            node.ending = ending(board, node.moves)
        if node.ending is not None:
            self._back_up(path, node, node.ending)
        else:
            node.is_waiting = True
            leaves.append((path, node, self._look(board, node.moves)))
        return True

    def _receive(self, leaves: list[tuple[Path, Node, Seen]]) -> None:
        self.evaluations += len(leaves)
        judged = self._judge([seen for _, _, seen in leaves]) if leaves else []
        for (path, node, _), (value, priors) in zip(leaves, judged, strict=True):
            node.is_waiting = False
            node.priors = priors
            node.tries, node.sums = np.zeros(len(priors)), np.zeros(len(priors))
            self._back_up(path, node, value)

    def _back_up(self, path: Path, node: Node, value: float) -> None:
        node.visits += 1
        node.value_sum += value
        for parent, at in reversed(path):
            value = -value
            parent.sums[at] += value + self._settings.virtual_loss
            parent.visits += 1
            parent.value_sum += value


def ending(board: chess.Board, moves: list[chess.Move]) -> float | None:
    """What the game is worth for the side to move if it is over."""
    if not moves:
        return -1.0 if board.is_check() else 0.0
    if board.is_insufficient_material() or board.halfmove_clock >= 100 or board.is_repetition(3):
        return 0.0
    return None


def visits_of(root: Node) -> dict[str, int]:
    return {move.uci(): int(n) for move, n in zip(root.moves, root.tries, strict=True)}


def knowing_nothing(settings: TreeSettings, *, batch: int) -> PythonMcts[int]:
    """For which every move is as likely as the others, and every position even."""

    def look(_board: chess.Board, moves: list[chess.Move]) -> int:
        return len(moves)

    def judge(counts: list[int]) -> list[tuple[float, Floats]]:
        return [(0.0, np.full(count, 1 / count)) for count in counts]

    return PythonMcts(look, judge, settings, batch=batch)
