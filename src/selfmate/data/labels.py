"""What the teacher says of positions: its best moves, how likely each is, what a position is worth.

The same position with the same scores always gets the same labels: among equal moves those come
first that stand first in the legal list, for a net could not learn what dice had decided.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.search.teacher import MoveScores, values_side_to_move

MOST_MOVES = 256  # more than any position has
NO_MOVE = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Labels:
    """One row per position; columns are its best moves, best first."""

    moves: NDArray[np.uint16]  # [B, K]
    counts: NDArray[np.int64]  # [B] how many of the K there are; what is behind means nothing
    centipawns: NDArray[np.int32]  # [B] of the best move
    probs: NDArray[np.float64]  # [B, K]; 0 behind the count
    values_side_to_move: NDArray[np.float32]  # [B]

    def sample(self, dice: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """A move [B] of each position by its probabilities; the number in `dice` [B] decides."""
        below_one = (dice >> np.uint64(11)).astype(np.float64) * 2.0**-53
        column = (np.cumsum(self.probs, axis=1) <= below_one[:, None]).sum(axis=1)
        column = np.minimum(column, self.counts - 1)
        return np.take_along_axis(self.moves, column[:, None], axis=1)[:, 0]


def label(scores: MoveScores, top_k: int, taus: NDArray[np.float64]) -> Labels:
    """Softmax(score in pawns / tau) over the `top_k` best moves; `taus` is one per position."""
    starts, lengths = scores.offsets[:-1], np.diff(scores.offsets)
    keys = _sorted_keys(scores, lengths)[:, :top_k]
    counts = np.minimum(lengths, top_k)
    there = np.arange(keys.shape[1]) < counts[:, None]
    columns = np.where(there, keys % MOST_MOVES, 0)
    centipawns = -(keys // MOST_MOVES)
    best = centipawns[:, 0]
    behind = np.where(there, best[:, None] - centipawns, 0)
    weights = np.where(there, np.exp(-behind / (100 * taus[:, None])), 0.0)
    return Labels(
        moves=scores.moves[starts[:, None] + columns],
        counts=counts,
        centipawns=best,
        probs=weights / weights.sum(axis=1, keepdims=True),
        values_side_to_move=values_side_to_move(scores),
    )


def _sorted_keys(scores: MoveScores, lengths: NDArray[np.int64]) -> NDArray[np.int32]:
    """Score and place in the legal list as one number per move [B, M], the best first."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    places = np.arange(len(rows)) - scores.offsets[rows]
    keys = np.full((len(lengths), int(lengths.max())), NO_MOVE, np.int32)
    keys[rows, places] = -scores.centipawns * MOST_MOVES + places
    keys.sort(axis=1)
    return keys
