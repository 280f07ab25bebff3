"""Rows of uneven length in one flat array, as legal moves are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Ragged:
    """Row i is values[offsets[i] : offsets[i + 1]]."""

    values: NDArray[np.int32]  # [N]
    offsets: NDArray[np.int64]  # [B + 1]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def counts(self) -> NDArray[np.int64]:
        """[B] How long each row is."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> NDArray[np.int64]:
        """[N] The row of each value."""
        return np.repeat(np.arange(len(self)), self.counts)

    def take(self, rows: NDArray[np.int64]) -> "Ragged":
        """Some rows, in this order."""
        places, offsets = places_of_rows(self.offsets, rows)
        return Ragged(self.values[places], offsets)

    def find(self, wanted: NDArray[Any]) -> NDArray[np.int64]:
        """[B] The place of each row's wanted value [B], which must be in the row."""
        hits = np.flatnonzero(self.values == np.repeat(wanted, self.counts))
        if len(hits) != len(self) or np.any(hits < self.offsets[:-1]):
            raise ValueError("every row must hold its wanted value once")
        return hits


@dataclass(frozen=True)
class SparseRows:
    """Row i has values in columns, both from offsets[i] to offsets[i + 1]; all else is zero."""

    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1


def best_places(values: NDArray[np.float32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """[B] Where the first of the highest values of each row stands; no row is empty. As with
    argmax, what is no number is the highest."""
    highest = np.repeat(np.maximum.reduceat(values, offsets[:-1]), np.diff(offsets))
    hits = np.flatnonzero((values == highest) | np.isnan(values))
    return hits[np.searchsorted(hits, offsets[:-1])]


def places_of_rows(
    offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the values of some rows stand, and the offsets that they have by themselves."""
    counts = offsets[rows + 1] - offsets[rows]
    own = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(counts, out=own[1:])
    places = np.repeat(offsets[rows] - own[:-1], counts)
    places += np.arange(own[-1])
    return places, own
