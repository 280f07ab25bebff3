"""Positions with the teacher's score of every legal action, and what a net learns from them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.data.teacher_data import LabelledBatch, Rows
from selfmate.rules import Ragged, best_places, places_of_rows
from selfmate.searches.teacher import VALUE_SCALE_PAWNS

PAWNS_PER_CENTIPAWN = np.float32(0.01)


@dataclass(frozen=True, kw_only=True)
class ScoredPositions:
    """N positions with L legal actions in all, in the view of the side to move: position i owns
    offsets[i] to offsets[i + 1]."""

    packed: NDArray[np.uint8]  # [N, 107] packed features
    actions: NDArray[np.int16]  # [L] of from_to4096
    centipawns: NDArray[np.int16]  # [L]
    offsets: NDArray[np.int64]  # [N + 1]

    def __len__(self) -> int:
        return len(self.packed)

    def batch(self, rows: Rows, *, sharpness: float) -> LabelledBatch:
        """Some positions. The teacher's policy is softmax(sharpness * score in pawns)."""
        places, offsets = places_of_rows(self.offsets, rows)
        legal = Ragged(self.actions[places].astype(np.int32), offsets)
        pawns = PAWNS_PER_CENTIPAWN * self.centipawns[places]
        best = best_places(pawns, offsets)
        return LabelledBatch(
            packed=self.packed[rows],
            legal=legal,
            probs=_softmax(np.float32(sharpness) * pawns, legal),
            best=best,
            values=np.tanh(pawns[best] / np.float32(VALUE_SCALE_PAWNS)),
        )


def joined(parts: Sequence[ScoredPositions]) -> ScoredPositions:
    """The positions of all parts, end to end."""
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    return ScoredPositions(
        packed=np.concatenate([part.packed for part in parts]),
        actions=np.concatenate([part.actions for part in parts]),
        centipawns=np.concatenate([part.centipawns for part in parts]),
        offsets=np.concatenate([[0], np.cumsum(counts)]),
    )


def _softmax(scores: NDArray[np.float32], legal: Ragged) -> NDArray[np.float32]:
    """[L] Of each position's scores."""
    starts, counts = legal.offsets[:-1], legal.counts
    powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), counts))
    found: NDArray[np.float32] = powers / np.repeat(np.add.reduceat(powers, starts), counts)
    return found
