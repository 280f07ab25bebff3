"""Rows of different lengths in one flat array, such as the legal moves of many positions.

B is the number of rows, N the number of values of all rows together.
"""

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
        """[B] The length of each row."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> NDArray[np.int64]:
        """[N] The index of the row that each value belongs to."""
        return np.repeat(np.arange(len(self)), self.counts)

    def take(self, rows: NDArray[np.int64]) -> "Ragged":
        """The given rows, in this order."""
        places, offsets = places_of_rows(self.offsets, rows)
        return Ragged(self.values[places], offsets)

    def find(self, wanted: NDArray[Any]) -> NDArray[np.int64]:
        """[B] The index into `values` of each row's wanted value [B].

        Raises ValueError unless every row holds its wanted value exactly once.
        """
        hits = np.flatnonzero(self.values == np.repeat(wanted, self.counts))
        if len(hits) != len(self) or np.any(hits < self.offsets[:-1]):
            raise ValueError("every row must hold its wanted value once")
        return hits


@dataclass(frozen=True)
class SparseRows:
    """A sparse matrix by rows (CSR).

    Row i has values[offsets[i] : offsets[i + 1]] in the columns of the same slice, and zeros
    elsewhere.
    """

    columns: NDArray[np.int32]  # [N]
    values: NDArray[np.float32]  # [N]
    offsets: NDArray[np.int64]  # [B + 1]

    def __len__(self) -> int:
        return len(self.offsets) - 1


def best_places(values: NDArray[np.float32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """[B] The index into `values` of the first maximum of each row. No row may be empty.

    NaN counts as the maximum, as with np.argmax.
    """
    highest = np.repeat(np.maximum.reduceat(values, offsets[:-1]), np.diff(offsets))
    hits = np.flatnonzero((values == highest) | np.isnan(values))
    return hits[np.searchsorted(hits, offsets[:-1])]


def places_of_rows(
    offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the values of the given rows, and the offsets of these rows taken by themselves.

    Returns indices [M] into the flat array and offsets [len(rows) + 1] into those indices.
    """
    counts = offsets[rows + 1] - offsets[rows]
    own = np.zeros(len(rows) + 1, np.int64)
    np.cumsum(counts, out=own[1:])
    places = np.repeat(offsets[rows] - own[:-1], counts)
    places += np.arange(own[-1])
    return places, own
