"""Softmax over rows of uneven length, such as the legal moves of positions, in NumPy.

Rows stand end to end: row i has the values offsets[i] to offsets[i + 1], at least one.
"""

import numpy as np
from numpy.typing import NDArray

from selfmate.rules import Ragged

Floats = NDArray[np.float32]
Offsets = NDArray[np.int64]  # [B + 1]


def log_probabilities(scores: Floats, offsets: Offsets) -> Floats:
    """[N] The logarithm of the softmax over each row of scores [N]."""
    below = scores - spread_rows(np.maximum.reduceat(scores, offsets[:-1]), offsets)
    logs: Floats = below - spread_rows(np.log(row_sums(np.exp(below), offsets)), offsets)
    return logs


def probabilities(scores: Floats, offsets: Offsets) -> Floats:
    """[N] The softmax over each row of scores [N]."""
    return np.exp(log_probabilities(scores, offsets))


def row_sums(values: Floats, offsets: Offsets) -> Floats:
    """[N] -> [B]"""
    sums: Floats = np.add.reduceat(values, offsets[:-1])
    return sums


def spread_rows(per_row: Floats, offsets: Offsets) -> Floats:
    """[B] -> [N] Each row's number for all values of the row."""
    return np.repeat(per_row, np.diff(offsets))


def mass_of(logits: Floats, chosen: Ragged) -> NDArray[np.float64]:
    """[B] The total probability of each row's chosen columns, in the softmax of logits [B, A]."""
    weights = np.exp(logits.astype(np.float64) - logits.max(1, keepdims=True))
    at_chosen = weights[chosen.rows, chosen.values]
    mass: NDArray[np.float64] = np.add.reduceat(at_chosen, chosen.offsets[:-1]) / weights.sum(1)
    return mass
