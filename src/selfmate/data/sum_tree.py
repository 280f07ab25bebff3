"""Numbers of which rows are drawn in proportion, and changed, in a logarithm of their count."""

import numpy as np
from numpy.typing import NDArray


class SumTree:
    """A value of 0 or more for each row, all 0 at first, and the sums of pairs, of pairs of pairs
    and so on.

    A sum is always added up from its two halves anew, so that it depends on the values alone and
    not on how they came about: no error accumulates.
    """

    def __init__(self, capacity: int) -> None:
        self._levels = (capacity - 1).bit_length()
        self._leaves = 1 << self._levels
        self._nodes = np.zeros(2 * self._leaves)  # node i has the halves 2 i and 2 i + 1

    @property
    def total(self) -> float:
        return float(self._nodes[1])

    def values(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._nodes[rows + self._leaves]

    def set(self, rows: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Of a row that is named twice the last value holds."""
        nodes = rows + self._leaves
        self._nodes[nodes] = values
        for _ in range(self._levels):
            nodes >>= 1
            self._nodes[nodes] = self._nodes[2 * nodes] + self._nodes[2 * nodes + 1]

    def sample(self, uniforms: NDArray[np.float64]) -> NDArray[np.int64]:
        """A row for each number in [0, 1), as likely as its value says. The total must not be 0."""
        wanted = uniforms * self.total
        nodes = np.ones(len(uniforms), np.int64)
        for _ in range(self._levels):
            nodes *= 2
            left = self._nodes[nodes]
            # Rounding can leave more wanted than there is; it must not lead to a value of 0.
            right = (wanted >= left) & (self._nodes[nodes + 1] > 0)
            wanted -= np.where(right, left, 0)
            nodes += right
        return nodes - self._leaves
