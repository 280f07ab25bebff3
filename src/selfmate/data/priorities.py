"""Prioritized replay: transitions are sampled in proportion to their last TD errors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Arrays = Mapping[str, NDArray[Any]]


class SumTree:
    """A value of at least 0 for each row, all 0 at first, below the sums of pairs, of pairs of
    pairs and so on: rows are sampled in proportion to their values in logarithmic time.

    A sum is always computed from its two halves, so it depends on the values alone and no rounding
    error accumulates.
    """

    def __init__(self, capacity: int) -> None:
        self._levels = (capacity - 1).bit_length()
        self._leaves = 1 << self._levels
        self._nodes = np.zeros(2 * self._leaves)  # node i has the halves 2 i and 2 i + 1

    @property
    def total(self) -> float:
        return float(self._nodes[1])

    def values(self, rows: Rows) -> NDArray[np.float64]:
        return self._nodes[rows + self._leaves]

    def set(self, rows: Rows, values: NDArray[np.float64]) -> None:
        """If a row is named twice, its last value holds."""
        nodes = rows + self._leaves
        self._nodes[nodes] = values
        for _ in range(self._levels):
            nodes >>= 1
            self._nodes[nodes] = self._nodes[2 * nodes] + self._nodes[2 * nodes + 1]

    def sample(self, uniforms: NDArray[np.float64]) -> Rows:
        """A row for each number in [0, 1). The total must be above 0."""
        wanted = uniforms * self.total
        nodes = np.ones(len(uniforms), np.int64)
        for _ in range(self._levels):
            nodes *= 2
            left = self._nodes[nodes]
            # Rounding may leave more wanted than there is; it must not lead to a value of 0.
            right = (wanted >= left) & (self._nodes[nodes + 1] > 0)
            wanted -= np.where(right, left, 0)
            nodes += right
        return nodes - self._leaves


@dataclass(frozen=True, kw_only=True)
class Priority:
    """Proportional prioritization (Schaul et al. 2016): P(i) ~ (|TD error| + epsilon)^alpha."""

    alpha: float  # 0: uniform
    beta: float  # importance-sampling exponent: 0 no correction, 1 full correction
    epsilon: float

    def __post_init__(self) -> None:
        if not (0 <= self.alpha <= 1 and 0 <= self.beta <= 1):
            raise ValueError("alpha and beta of a priority must lie between 0 and 1")
        if not 0 < self.epsilon < np.inf:
            raise ValueError("epsilon of a priority must be above 0")


class Priorities:
    """Priorities of the transitions; other rows have 0 and are never sampled."""

    def __init__(self, capacity: int, settings: Priority) -> None:
        self._settings = settings
        self._tree = SumTree(capacity)  # of priorities to the power of alpha
        self._largest = 1.0  # of these, ever

    def add(self, rows: Rows) -> None:
        """New transitions get the largest priority so far, so that each is soon seen."""
        self._tree.set(rows, np.full(len(rows), self._largest))

    def remove(self, rows: Rows) -> None:
        self._tree.set(rows, np.zeros(len(rows)))

    def sample(self, uniforms: NDArray[np.float64], count: int) -> tuple[Rows, NDArray[np.float64]]:
        """Rows and their importance weights (N P(i))^-beta, for N = `count` transitions."""
        rows = self._tree.sample(uniforms)
        probs = self._tree.values(rows) / self._tree.total
        return rows, (count * probs) ** -self._settings.beta

    def update(self, rows: Rows, errors: NDArray[np.floating]) -> None:
        if not np.all(np.isfinite(errors)):
            raise ValueError("a TD error that is not finite cannot be a priority")
        values = (np.abs(errors, dtype=np.float64) + self._settings.epsilon) ** self._settings.alpha
        self._tree.set(rows, values)
        self._largest = max(self._largest, float(values.max(initial=0)))

    def arrays(self, rows: Rows) -> dict[str, NDArray[Any]]:
        return {"priorities": self._tree.values(rows), "largest": np.array(self._largest)}

    def load(self, rows: Rows, arrays: Arrays) -> None:
        """Restores what `arrays` returned for these rows, whose transitions have been added."""
        values, largest = arrays["priorities"], float(arrays["largest"])
        transitions = np.sign(self._tree.values(rows))
        if np.any(np.sign(values) != transitions) or np.any(values > largest):
            raise ValueError("the priorities do not belong to these shards")
        self._tree.set(rows, values)
        self._largest = largest
