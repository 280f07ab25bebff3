"""Game pairs of known strength, with draws and with openings that tie the two games together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Conditions:
    """How pairs differ from two coin tosses; every number is in 0..1.

    An opening helps White by `white_bias` or Black as much, and suits player A by `taste_bias` or
    player B as much, as fractions of the distance of A's score to the nearer of 0 and 1.
    """

    draw_rate: float = 0.0  # between equals on a balanced opening
    white_bias: float = 0.0
    taste_bias: float = 0.0


def pair_distribution(score: float, conditions: Conditions) -> Floats:
    """Probabilities [5] of A taking 0, 0.5, 1, 1.5, 2 points; their mean is twice the score."""
    room = min(score, 1 - score)
    total = np.zeros(5)
    for white in (-conditions.white_bias, conditions.white_bias):
        for taste in (-conditions.taste_bias, conditions.taste_bias):
            first = game_distribution(score + room * (taste + white), conditions.draw_rate)
            second = game_distribution(score + room * (taste - white), conditions.draw_rate)
            total += np.convolve(first, second) / 4
    return total


def game_distribution(score: float, draw_rate: float) -> Floats:
    """Probabilities [3] of A losing, drawing and winning."""
    draw = draw_rate * 2 * min(score, 1 - score)
    return np.array([1 - score - draw / 2, draw, score - draw / 2])
