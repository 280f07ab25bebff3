"""What a net that does not know the rules should say: the softmax of a score for every action.

Legal moves have 0, illegal ones much less. A move that was played in a game that was won has more
than 0, in one that was lost less, and the more, the sooner the end came.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from selfmate.data.attempted_games import AttemptedGames
from selfmate.encodings.sentences import ACTIONS
from selfmate.rules.ragged import Ragged

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Scores:
    illegal: float = -10.0
    tried: float = -10.0  # of the very action that was tried; the seed's variant: -25
    decided: float = 4.0  # of a move that won; of one that lost the negative; the seed also: 1
    haste: float = 1.0  # divided by the moves to the end, and added


class Asked(NamedTuple):
    games: AttemptedGames  # N positions
    legal: Ragged
    policy: Floats  # [L] what the net gives to each legal move; a row's sum is 1


@dataclass(frozen=True, kw_only=True)
class Targets:
    shares: NDArray[np.float32]  # [N, 1968] a row's sum is 1
    datapoints: NDArray[np.float32]  # [N] that a row stands for: every attempt, and the move
    legal_mass: Floats  # [N] what of a row is on legal moves


def even_targets(asked: Asked, scores: Scores) -> Targets:
    """The mean of a position's datapoints: they differ in the target alone, so one pass of the net
    does for all. Legal moves that were not played are alike."""
    games, legal, _ = asked
    attempts, counts = games.tried.counts.astype(np.float64), legal.counts.astype(np.float64)
    datapoints = attempts + 1
    illegal, tried = np.exp(scores.illegal), np.exp(scores.tried)
    move = np.exp(move_scores(games, legal, scores))
    tried_sum = counts + (ACTIONS - counts - 1) * illegal + tried
    played_sum = counts - 1 + move + (ACTIONS - counts) * illegal
    at_legal = (attempts / tried_sum + 1 / played_sum) / datapoints
    at_tried = at_legal * illegal + (tried - illegal) / tried_sum / datapoints
    at_played = at_legal + (move - 1) / played_sum / datapoints
    shares = np.repeat((at_legal * illegal).astype(np.float32)[:, None], ACTIONS, axis=1)
    shares[legal.rows, legal.values] = at_legal[legal.rows]
    shares[games.tried.rows, games.tried.values] = at_tried[games.tried.rows]
    shares[np.arange(len(games)), games.played] = at_played
    return Targets(
        shares=shares,
        datapoints=datapoints.astype(np.float32),
        legal_mass=at_legal * (counts - 1) + at_played,
    )


def move_scores(games: AttemptedGames, legal: Ragged, scores: Scores) -> Floats:
    """[N] Of the moves that were played. An only move keeps 0: there was nothing to decide."""
    left = games.moves_left
    haste = np.divide(scores.haste, left, out=np.zeros(len(left)), where=left > 0)
    decided = games.results_side_to_move * (scores.decided + haste)
    return np.where(legal.counts > 1, decided, 0.0)


def own_targets(asked: Asked, scores: Scores) -> Targets:
    """For a net that knows something already: legal moves keep what it gives them, so that a draw
    or an attempt changes only how much is on legal moves, and a decided game the move played."""
    games, legal, policy = asked
    drawn = replace(games, results_side_to_move=np.zeros(len(games), np.int8))
    targets = even_targets(asked._replace(games=drawn), scores)
    tilted = policy.copy()
    tilted[legal.find(games.played)] *= np.exp(move_scores(games, legal, scores))
    tilted /= np.add.reduceat(tilted, legal.offsets[:-1])[legal.rows]
    attempts = games.tried.counts[legal.rows]
    mean = (attempts * policy + tilted) / (attempts + 1)
    targets.shares[legal.rows, legal.values] = targets.legal_mass[legal.rows] * mean
    return targets


def imitation_targets(asked: Asked) -> Targets:
    """The move that was played, whoever won."""
    played = asked.games.played
    shares = np.zeros((len(played), ACTIONS), np.float32)
    shares[np.arange(len(played)), played] = 1
    ones = np.ones(len(played))
    return Targets(shares=shares, datapoints=ones.astype(np.float32), legal_mass=ones)
