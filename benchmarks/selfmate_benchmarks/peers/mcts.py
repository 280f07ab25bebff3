"""A tree search in plain Python over python-chess: PUCT, virtual loss, batches, proven mates.

It takes the same settings as the core's search and visits the same moves. Benchmarks race it,
oracle tests compare it with the core visit by visit. Mates are proven on request only: looking for
a mate at every leaf is slow in Python, and a race should not be won by that.
"""

import math
from collections.abc import Callable
from typing import Generic, TypeVar

import chess
import numpy as np
import torch
from numpy.typing import NDArray

from selfmate.nets.resnet import SeResNet
from selfmate.searches.config import SearchConfig
from selfmate_benchmarks.peers.rules import az4672, planes96

Floats = NDArray[np.float64]
Observation = TypeVar("Observation")
# What the evaluation needs to know about a leaf, from its board and its legal moves.
Observe = Callable[[chess.Board, list[chess.Move]], Observation]
# For each observation the value for the side to move, and the priors of the legal moves.
Evaluate = Callable[[list[Observation]], list[tuple[float, Floats]]]
EMPTY: Floats = np.zeros(0)


class Node:
    """A position. Values are for the side to move here.

    Arrays have an entry for each of `moves`; they are empty until the node is evaluated.
    """

    __slots__ = ("begun", "children", "is_waiting", "known_value", "moves", "plies_to_mate",
                 "priors", "proofs", "sums", "tries", "value_sum", "visits")  # fmt: skip

    def __init__(self) -> None:
        self.moves: list[chess.Move] = []
        self.priors = EMPTY
        self.tries = self.sums = EMPTY  # visits and values, walks under way included as losses
        self.proofs = EMPTY  # 1 if the move mates by force, -1 if it is mated by force, else 0
        self.children: dict[int, Node] = {}
        self.begun = self.visits = 0  # walks that left from here, walks that came back
        self.value_sum = 0.0
        self.known_value: float | None = None  # set when the game is over or a mate is proven
        self.plies_to_mate = 0  # of a proven mate
        self.is_waiting = False  # for its evaluation


Path = list[tuple[Node, int]]  # nodes and the index of the move that was chosen in each


class PythonMcts(Generic[Observation]):
    def __init__(
        self,
        observe: "Observe[Observation]",
        evaluate: "Evaluate[Observation]",
        config: SearchConfig,
        *,
        batch: int,
        prove_mates: bool = False,
    ) -> None:
        self._observe, self._evaluate, self._config = observe, evaluate, config
        self._batch, self._prove_mates = batch, prove_mates
        self.evaluations = 0

    def search(self, board: chess.Board, simulations: int) -> Node:
        """The root of a new tree. The game must not be over."""
        root = Node()
        begun = -1  # the evaluation of the root is not a simulation
        while begun < simulations and not root.known_value:
            leaves = list[tuple[Path, Node, Observation]]()
            while begun < simulations and len(leaves) < self._batch:
                path, node = self._descend(root, board)
                is_counted = self._arrive(path, node, board, leaves)
                for _ in path:
                    board.pop()
                if not is_counted:
                    break
                begun += 1
                if root.known_value:
                    break
            self._receive(leaves)
        return root

    def _descend(self, root: Node, board: chess.Board) -> tuple[Path, Node]:
        path, node = Path(), root
        while len(node.priors) and (node is root or not node.known_value):
            at = self._select(node)
            path.append((node, at))
            self._begin(node, at, 1)
            board.push(node.moves[at])
            if at not in node.children:
                node.children[at] = Node()
            node = node.children[at]
        return path, node

    def _select(self, node: Node) -> int:
        """The move of the highest PUCT score, without moves that are proven to lose."""
        config, tried = self._config, node.tries > 0
        untried = node.value_sum / node.visits
        untried -= config.fpu_reduction * math.sqrt(node.priors @ tried)
        values = np.where(tried, node.sums / np.maximum(node.tries, 1), untried)
        reach = config.c_puct * math.sqrt(max(1, node.begun))
        scores = values + reach * node.priors / (1 + node.tries)
        if self._prove_mates:
            scores[node.proofs < 0] = -math.inf
        return int(np.argmax(scores))

    def _begin(self, node: Node, at: int, walks: int) -> None:
        """Counts a walk under way as a loss; -1 takes it back."""
        node.begun += walks
        node.tries[at] += walks
        node.sums[at] -= walks * self._config.virtual_loss

    def _arrive(
        self,
        path: Path,
        node: Node,
        board: chess.Board,
        leaves: list[tuple[Path, Node, Observation]],
    ) -> bool:
        """False if the leaf waits for another walk's evaluation: then the batch is complete."""
        if node.is_waiting:
            for parent, at in path:
                self._begin(parent, at, -1)
            return False
        if not node.visits:
            node.moves = list(board.legal_moves)
            node.known_value = ending_value(board, node.moves)
            if self._prove_mates and node.known_value is None:
                _find_mates(node, board)
        if node.known_value is not None and path:
            self._back_up(path, node, node.known_value)
        else:  # the root is evaluated even if its value is known
            node.is_waiting = True
            leaves.append((path, node, self._observe(board, node.moves)))
        return True

    def _receive(self, leaves: list[tuple[Path, Node, Observation]]) -> None:
        self.evaluations += len(leaves)
        answers = self._evaluate([seen for _, _, seen in leaves]) if leaves else []
        for (path, node, _), (value, priors) in zip(leaves, answers, strict=True):
            node.is_waiting = False
            node.priors = priors
            node.tries, node.sums = np.zeros(len(priors)), np.zeros(len(priors))
            self._back_up(path, node, value)

    def _back_up(self, path: Path, node: Node, value: float) -> None:
        node.visits += 1
        node.value_sum += value
        for parent, at in reversed(path):
            value = -value
            parent.sums[at] += value + self._config.virtual_loss
            if self._prove_mates:
                _prove(parent, at)
                value = parent.known_value or value
            parent.visits += 1
            parent.value_sum += value


def _prove(node: Node, at: int) -> None:
    """Carries a proven mate from the child to its parent: one winning move, or all moves lose."""
    child = node.children[at]
    if not child.known_value:
        return
    node.proofs[at] = -child.known_value
    plies = child.plies_to_mate + 1
    if node.proofs[at] > 0:
        node.plies_to_mate = min(node.plies_to_mate, plies) if node.known_value else plies
        node.known_value = 1.0
    elif np.all(node.proofs < 0):
        node.known_value = -1.0
        node.plies_to_mate = 1 + max(child.plies_to_mate for child in node.children.values())


def _find_mates(node: Node, board: chess.Board) -> None:
    """Marks the moves that mate at once."""
    node.proofs = np.zeros(len(node.moves))
    for at, move in enumerate(node.moves):
        board.push(move)
        if board.is_checkmate():
            node.proofs[at] = 1
            node.known_value, node.plies_to_mate = 1.0, 1
        board.pop()


def ending_value(board: chess.Board, moves: list[chess.Move]) -> float | None:
    """The value for the side to move if the game is over, else None."""
    if not moves:
        return -1.0 if board.is_check() else 0.0
    if board.is_insufficient_material() or board.halfmove_clock >= 100 or board.is_repetition(3):
        return 0.0
    return None


def visits_of(root: Node) -> dict[str, int]:
    """Visits of each move, by its UCI text."""
    return {move.uci(): int(n) for move, n in zip(root.moves, root.tries, strict=True)}


def uniform_mcts(config: SearchConfig, *, batch: int) -> PythonMcts[int]:
    """A search whose evaluation finds all moves equally likely and all positions even."""

    def observe(_board: chess.Board, moves: list[chess.Move]) -> int:
        return len(moves)

    def evaluate(counts: list[int]) -> list[tuple[float, Floats]]:
        return [(0.0, np.full(count, 1 / count)) for count in counts]

    return PythonMcts(observe, evaluate, config, batch=batch)


# planes96 [96, 8, 8], and the az4672 actions of the legal moves.
PlanesAndActions = tuple[NDArray[np.float32], list[int]]


class TorchEvaluator:
    """Evaluates the leaves of the search in Python."""

    def __init__(self, net: SeResNet) -> None:
        self._net = net.eval()

    def observe(self, board: chess.Board, moves: list[chess.Move]) -> PlanesAndActions:
        return planes96(board), [az4672(move, board.turn) for move in moves]

    @torch.inference_mode()
    def evaluate(self, leaves: list[PlanesAndActions]) -> list[tuple[float, NDArray[np.float64]]]:
        logits, value = self._net(torch.from_numpy(np.stack([planes for planes, _ in leaves])))
        wdl = torch.softmax(value, 1).numpy()
        values = (wdl[:, 0] - wdl[:, 2]).tolist()
        rows = logits.numpy()
        return [(values[i], softmax(rows[i, legal])) for i, (_, legal) in enumerate(leaves)]


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    powers = np.exp(logits - logits.max(), dtype=np.float64)
    probs: NDArray[np.float64] = powers / powers.sum()
    return probs


def with_net(net: SeResNet, config: SearchConfig, *, batch: int) -> PythonMcts[PlanesAndActions]:
    """The search in Python with a net."""
    evaluator = TorchEvaluator(net)
    return PythonMcts(evaluator.observe, evaluator.evaluate, config, batch=batch)
