"""Targets and loss of a policy that does not know the rules.

The target of a position is the softmax of a score for each of the 1,968 actions: 0 for legal moves,
a low one for illegal moves, and a positive or negative one for the played move if the game was won
or lost. Every illegal attempt is a datapoint of its own, without the result, in which the attempted
action may score lower still.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.data.trajectories import AttemptTrajectories
from selfmate.encodings.records import ACTIONS
from selfmate.learners.searchless.legality import policy_on_legal_moves
from selfmate.nets.optim import GradientWorkers, Optimizer
from selfmate.nets.transformer import Transformer
from selfmate.rules import Ragged

PART_ROWS = 32  # positions per part of a batch: what a thread holds in memory

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class TargetScores:
    """Scores before the softmax; legal moves that were not played have 0."""

    illegal: float = -10.0
    attempted: float = -10.0  # of the attempted action; a variant of the reference design: -25
    result: float = 4.0  # of the played move if it won, negated if it lost; a variant: 1
    speed_bonus: float = 1.0  # divided by the moves to the end, and added to `result`


class TargetInputs(NamedTuple):
    games: AttemptTrajectories  # N positions
    legal: Ragged
    policy: Floats  # [L] the net's policy among the legal moves; a row's sum is 1


@dataclass(frozen=True, kw_only=True)
class Targets:
    probabilities: NDArray[np.float32]  # [N, 1968] a row's sum is 1; below 0 only in REINFORCE
    datapoints: NDArray[np.float32]  # [N] that a row averages: every attempt, and the move
    legal_mass: Floats  # [N] the sum over the legal moves


TargetFunction = Callable[[TargetInputs], Targets]


def uniform_targets(inputs: TargetInputs, scores: TargetScores) -> Targets:
    """Legal moves that were not played share one probability.

    A row is the mean over the datapoints of a position. They differ in the target alone, so one
    pass through the net serves all of them."""
    games, legal, _ = inputs
    attempts, counts = games.tried.counts.astype(np.float64), legal.counts.astype(np.float64)
    datapoints = attempts + 1
    illegal, attempted = np.exp(scores.illegal), np.exp(scores.attempted)
    move = np.exp(move_scores(games, legal, scores))
    attempt_sum = counts + (ACTIONS - counts - 1) * illegal + attempted
    move_sum = counts - 1 + move + (ACTIONS - counts) * illegal
    at_legal = (attempts / attempt_sum + 1 / move_sum) / datapoints
    at_attempted = at_legal * illegal + (attempted - illegal) / attempt_sum / datapoints
    at_played = at_legal + (move - 1) / move_sum / datapoints
    probabilities = np.repeat((at_legal * illegal).astype(np.float32)[:, None], ACTIONS, axis=1)
    probabilities[legal.rows, legal.values] = at_legal[legal.rows]
    probabilities[games.tried.rows, games.tried.values] = at_attempted[games.tried.rows]
    probabilities[np.arange(len(games)), games.played] = at_played
    return Targets(
        probabilities=probabilities,
        datapoints=datapoints.astype(np.float32),
        legal_mass=at_legal * (counts - 1) + at_played,
    )


def move_scores(games: AttemptTrajectories, legal: Ragged, scores: TargetScores) -> Floats:
    """[N] The scores of the played moves. An only move keeps 0: there was nothing to choose."""
    left = games.moves_left
    bonus = np.divide(scores.speed_bonus, left, out=np.zeros(len(left)), where=left > 0)
    by_result = games.results_side_to_move * (scores.result + bonus)
    return np.where(legal.counts > 1, by_result, 0.0)


def policy_targets(inputs: TargetInputs, scores: TargetScores) -> Targets:
    """Legal moves keep the ratios of the net's policy, for a net that has learned already: a draw
    or an attempt changes only the mass on legal moves, a win or loss only the played move."""
    games, legal, policy = inputs
    tilted = policy.copy()
    tilted[legal.find(games.played)] *= np.exp(move_scores(games, legal, scores))
    tilted /= np.add.reduceat(tilted, legal.offsets[:-1])[legal.rows]
    return _among_legal_moves(inputs, scores, tilted)


def reinforce_targets(inputs: TargetInputs, scores: TargetScores) -> Targets:
    """Legal moves as in `policy_targets`, but the gradient of the played move is that of REINFORCE
    (Williams 1992): the policy p becomes p + score (move - p). So lost games teach as much as won
    ones, which they do not where p is multiplied; such a target may be negative."""
    games, legal, policy = inputs
    weights = move_scores(games, legal, scores)
    moved = policy * (1 - weights)[legal.rows]
    moved[legal.find(games.played)] += weights
    return _among_legal_moves(inputs, scores, moved)


def _among_legal_moves(inputs: TargetInputs, scores: TargetScores, played: Floats) -> Targets:
    """Illegal attempts keep the policy among the legal moves, the played move makes it `played`
    [L]; the mass on legal moves is that of a draw."""
    games, legal, policy = inputs
    drawn = replace(games, results_side_to_move=np.zeros(len(games), np.int8))
    targets = uniform_targets(inputs._replace(games=drawn), scores)
    attempts = games.tried.counts[legal.rows]
    mean = (attempts * policy + played) / (attempts + 1)
    targets.probabilities[legal.rows, legal.values] = targets.legal_mass[legal.rows] * mean
    return targets


def imitation_targets(inputs: TargetInputs) -> Targets:
    """The played move alone, whatever the result."""
    played = inputs.games.played
    probabilities = np.zeros((len(played), ACTIONS), np.float32)
    probabilities[np.arange(len(played)), played] = 1
    ones = np.ones(len(played))
    return Targets(probabilities=probabilities, datapoints=ones.astype(np.float32), legal_mass=ones)


class PolicyLoss:
    """Cross-entropy between targets and policy over a batch, in parts for several threads."""

    def __init__(
        self, games: AttemptTrajectories, target_function: TargetFunction, *, weight: float = 1.0
    ) -> None:
        self._games, self._target_function, self._weight = games, target_function, weight
        self._datapoints = len(games) + len(games.tried.values)
        self._sums: dict[int, Floats] = {}  # metrics by part

    @property
    def positions(self) -> int:
        return len(self._games)

    def losses(self, net: Transformer) -> list[Callable[[], Tensor]]:
        """One per part; their sum is the mean over the datapoints, times the weight."""
        rows = np.arange(len(self._games))
        parts = np.split(rows, range(PART_ROWS, len(rows), PART_ROWS))
        return [partial(self._loss, net, number, part) for number, part in enumerate(parts)]

    def _loss(self, net: Transformer, part: int, rows: NDArray[np.int64]) -> Tensor:
        games = self._games.take(rows)
        tokens = games.token_batch()
        log_probs = torch.log_softmax(net(torch.from_numpy(tokens.tokens).long()), 1)
        before = policy_on_legal_moves(log_probs.detach().numpy(), tokens.legal)
        targets = self._target_function(TargetInputs(games, tokens.legal, before.policy))
        losses = -(torch.from_numpy(targets.probabilities) * log_probs).sum(1)
        loss = (torch.from_numpy(targets.datapoints) * losses).sum() / self._datapoints
        self._sums[part] = np.array(
            [
                float(loss.detach()),
                before.mass.sum() / len(self._games),
                targets.legal_mass.sum() / len(self._games),
                before.entropy.sum() / len(self._games),
                np.log(tokens.legal.counts).sum() / len(self._games),
            ]
        )
        return self._weight * loss

    def metrics(self) -> dict[str, float]:
        """Means over the positions, of the net before the update; the loss, over the datapoints."""
        sums = np.sum([self._sums[part] for part in sorted(self._sums)], axis=0)
        names = ("loss", "learned_legal_mass", "target_legal_mass", "entropy", "ln_legal")
        return dict(zip(names, sums.tolist(), strict=True))


def compute_gradient(
    losses: Sequence[PolicyLoss], net: Transformer, optimizer: Optimizer, workers: GradientWorkers
) -> float:
    """Of the sum of all losses; returns its norm."""
    return optimizer.gradient_in_parallel(
        workers, [part for loss in losses for part in loss.losses(net)]
    )
