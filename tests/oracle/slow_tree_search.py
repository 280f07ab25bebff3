"""A tree search as its formulas say, over python-chess: every option, one simulation at a time.

It keeps all values of a node and computes means, deviations and proofs from them anew whenever they
are needed. Nothing is incremental, so it shares no bookkeeping with the core.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import chess
import numpy as np
from numpy.typing import NDArray

from selfmate.searches.config import SearchConfig

Floats = NDArray[np.float64]
# Of a board and its legal moves: the value for the side to move, and the priors.
Evaluate = Callable[[chess.Board, list[chess.Move]], tuple[float, Floats]]
MIN_LCB_FRACTION = 0.15
STDEV_PRIOR_VISITS = 2


@dataclass(eq=False)
class SlowNode:
    """A position. Values are for the side to move here."""

    moves: list[chess.Move]
    mating: set[int]  # moves that mate at once
    result: int | None  # 1 won, -1 lost, 0 drawn by rule or proof; None: not known
    is_repeated: bool  # counts as a draw, but proves none
    plies_to_mate: int = 0
    priors: Floats | None = None  # until it is evaluated
    evaluation: float = 0.0
    values: list[float] = field(default_factory=list)  # of all visits
    children: dict[int, "SlowNode"] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values)

    def visits_of(self, at: int) -> int:
        return len(self.children[at].values) if at in self.children else 0

    def value_of(self, at: int) -> float:
        """0 without visits."""
        return -self.children[at].mean if self.visits_of(at) else 0.0

    def proof_of(self, at: int) -> int | None:
        """For the side that plays the move."""
        if at in self.mating:
            return 1
        result = self.children[at].result if at in self.children else None
        return None if result is None else -result

    @property
    def visits(self) -> list[int]:
        return [self.visits_of(at) for at in range(len(self.moves))]

    @property
    def by_prior(self) -> list[int]:
        assert self.priors is not None
        return [int(at) for at in np.argsort(-self.priors, kind="stable")]

    def loses(self, at: int) -> bool:
        return self.proof_of(at) == -1


class SlowTreeSearch:
    def __init__(self, evaluate: Evaluate, config: SearchConfig) -> None:
        self._evaluate, self._config = evaluate, config
        self._plan: list[int] = []  # of sequential halving

    def search(self, board: chess.Board, simulations: int) -> SlowNode:
        """The root of a new tree."""
        root = self._new_node(board, 0)
        self._simulate(root, board, 0)  # its evaluation is not a simulation
        if self._config.num_considered_actions:
            considered = min(self._config.num_considered_actions, len(root.moves), simulations)
            self._plan = halving_plan(considered, simulations)
        for _ in range(simulations):
            if root.result is not None:
                break
            self._simulate(root, board, 0)
        return root

    def _new_node(self, board: chess.Board, depth: int) -> SlowNode:
        moves = list(board.legal_moves)
        if not moves:
            return SlowNode([], set(), -1 if board.is_check() else 0, False)
        if depth and (
            board.is_insufficient_material()
            or board.halfmove_clock >= 100
            or board.is_repetition(3)
        ):
            return SlowNode([], set(), 0, False)
        if depth and self._config.two_fold_draws and repeats_within(board, depth):
            return SlowNode([], set(), None, True)
        mating = {at for at, move in enumerate(moves) if mates(board, move)}
        return SlowNode(moves, mating, 1 if mating else None, False, plies_to_mate=len(mating) > 0)

    def _simulate(self, node: SlowNode, board: chess.Board, depth: int) -> float:
        """The value for the side to move, which was added to all nodes from here on."""
        if node.is_repeated:
            value = 0.0
        elif node.result is not None and depth:
            value = float(node.result)
        elif node.priors is None:
            value = self._expand(node, board, depth)
        else:
            value = self._descend(node, board, depth)
        node.values.append(value)
        return value

    def _expand(self, node: SlowNode, board: chess.Board, depth: int) -> float:
        config = self._config
        node.evaluation, priors = self._evaluate(board, node.moves)
        temperature = config.policy_temperature
        if depth == 0:
            temperature = config.root_policy_temperature or temperature
        powers = priors ** (1 / temperature)
        node.priors = powers / powers.sum()
        return node.evaluation

    def _descend(self, node: SlowNode, board: chess.Board, depth: int) -> float:
        at = self._select(node, depth == 0)
        board.push(node.moves[at])
        if at not in node.children:
            node.children[at] = self._new_node(board, depth + 1)
        value = -self._simulate(node.children[at], board, depth + 1)
        board.pop()
        self._prove(node)
        return value if node.result is None else float(node.result)

    def _prove(self, node: SlowNode) -> None:
        proofs = [node.proof_of(at) for at in range(len(node.moves))]
        plies = {at: child.plies_to_mate + 1 for at, child in node.children.items()}
        if 1 in proofs:
            node.result = 1
            winning = [at for at, proof in enumerate(proofs) if proof == 1]
            node.plies_to_mate = min(1 if at in node.mating else plies[at] for at in winning)
        elif all(proof == -1 for proof in proofs):
            node.result, node.plies_to_mate = -1, max(plies.values())
        elif self._config.prove_draws and all(proof in (-1, 0) for proof in proofs):
            node.result, node.values = 0, [0.0] * len(node.values)

    def _select(self, node: SlowNode, is_root: bool) -> int:
        if not self._config.num_considered_actions:
            return self._select_puct(node, is_root)
        playable = [at for at in node.by_prior if not node.loses(at)]
        if is_root:
            wanted, scores = self._plan[sum(node.visits)], self.gumbel_scores(node)
            return max(playable, key=lambda at: (-abs(node.visits[at] - wanted), scores[at]))
        policy, visits = self.improved_policy(node), node.visits
        return max(playable, key=lambda at: policy[at] - visits[at] / (1 + sum(visits)))

    def _select_puct(self, node: SlowNode, is_root: bool) -> int:
        assert node.priors is not None
        weight, first_play = self.exploration(node, is_root), self._first_play(node, is_root)

        def score(at: int) -> float:
            assert node.priors is not None
            visits = node.visits_of(at)
            value = node.value_of(at) if visits else first_play
            return float(value + weight * node.priors[at] / (1 + visits))

        return max(self._widened(node), key=score)

    def _widened(self, node: SlowNode) -> list[int]:
        """Playable moves among the likeliest; if there is none, the likeliest playable move."""
        playable = [at for at in node.by_prior if not node.loses(at)]
        if not self._config.widening:
            return playable
        count = math.ceil(
            self._config.widening * len(node.values) ** self._config.widening_exponent
        )
        considered = node.by_prior[: max(1, count)]
        return [at for at in playable if at in considered] or playable[:1]

    def _first_play(self, node: SlowNode, is_root: bool) -> float:
        config = self._config
        if is_root and config.root_fpu_absolute:
            return config.root_fpu_value
        if not is_root and config.fpu_absolute:
            return config.fpu_value
        reduction = config.fpu_reduction
        if is_root and config.root_fpu_reduction != -1:
            reduction = config.root_fpu_reduction
        assert node.priors is not None
        mass = sum(node.priors[at] for at, visits in enumerate(node.visits) if visits)
        return float(node.mean - reduction * math.sqrt(mass))

    def exploration(self, node: SlowNode, is_root: bool) -> float:
        config, visits = self._config, max(1, sum(node.visits))
        c_puct = config.root_c_puct if is_root and config.root_c_puct else config.c_puct
        c_puct += config.c_puct_factor * math.log(
            (visits + config.c_puct_base) / config.c_puct_base
        )
        ratio = self.stdev(node) / config.value_stdev_prior
        return c_puct * (1 + config.c_puct_stdev_scale * (ratio - 1)) * math.sqrt(visits)

    def stdev(self, node: SlowNode) -> float:
        """Around the mean, with a prior of two visits and one degree of freedom less."""
        prior, count = self._config.value_stdev_prior, len(node.values)
        if count <= 1:
            return prior
        squares = sum(value**2 for value in node.values)
        squares += STDEV_PRIOR_VISITS * (node.mean**2 + prior**2)
        return math.sqrt(max(0.0, squares / (STDEV_PRIOR_VISITS + count - 1) - node.mean**2))

    def completed_q(self, node: SlowNode) -> Floats:
        """Q of all moves; those without visits have v_mix (appendix D of Danihelka et al.)."""
        assert node.priors is not None
        visits = np.array(node.visits)
        values = np.array([node.proof_of(at) or node.value_of(at) for at in range(len(visits))])
        if not visits.any():
            return np.full(len(visits), node.evaluation)
        tried = visits > 0
        found = (node.priors * values)[tried].sum() / node.priors[tried].sum()
        mixed = (node.evaluation + visits.sum() * found) / (1 + visits.sum())
        return np.where(tried, values, mixed)

    def gumbel_scores(self, node: SlowNode) -> Floats:
        """logits + sigma(completed Q), with Q from 0 to 1; without noise."""
        assert node.priors is not None
        factor = (self._config.c_visit + max(node.visits)) * self._config.c_scale
        sigma: Floats = np.log(node.priors) + factor * (self.completed_q(node) + 1) / 2
        return sigma

    def improved_policy(self, node: SlowNode) -> Floats:
        scores = self.gumbel_scores(node)
        powers = np.exp(scores - scores.max())
        policy: Floats = powers / powers.sum()
        return policy

    def best(self, root: SlowNode) -> int:
        """The move played, where no mate is proven."""
        playable = [at for at in root.by_prior if not root.loses(at)]
        if self._config.num_considered_actions:
            scores = self.gumbel_scores(root)
            return max(playable, key=lambda at: (root.visits_of(at), scores[at]))
        most = max(playable, key=lambda at: (root.visits_of(at), root.value_of(at)))
        if not self._config.lcb_stdevs:
            return most
        enough = MIN_LCB_FRACTION * root.visits_of(most)
        rated = [at for at in playable if root.visits_of(at) >= max(1, enough)]
        return max(rated, key=lambda at: self.lower_bound(root, at))

    def lower_bound(self, root: SlowNode, at: int) -> float:
        error = self.stdev(root.children[at]) / math.sqrt(root.visits_of(at))
        return root.value_of(at) - self._config.lcb_stdevs * error


def halving_plan(considered: int, simulations: int) -> list[int]:
    """Sequential halving, played out: the visits that the next action to visit already has."""
    visits, plan, left = [0] * considered, list[int](), considered
    rounds = max(1, math.ceil(math.log2(considered)))
    while len(plan) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            for at in range(left):
                plan.append(visits[at])
                visits[at] += 1
        left = max(min(2, considered), left // 2)
    return plan[:simulations]


def mates(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    is_mate = board.is_checkmate()
    board.pop()
    return is_mate


def repeats_within(board: chess.Board, plies: int) -> bool:
    """Whether the position stood on the board at most so many plies ago."""
    earlier, key = board.copy(), board._transposition_key()
    for _ in range(plies):
        earlier.pop()
        if earlier._transposition_key() == key:
            return True
    return False
