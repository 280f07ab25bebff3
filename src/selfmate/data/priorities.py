"""How likely each experience is to be drawn (prioritized replay, Schaul et al. 2016)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.data.sum_tree import SumTree

Rows = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Priority:
    """An experience is drawn in proportion to (|error| + epsilon) ** alpha."""

    alpha: float  # 0: all alike
    beta: float  # how far weights make up for it: 0 not at all, 1 wholly
    epsilon: float  # what is left to an experience without error

    def __post_init__(self) -> None:
        if not (0 <= self.alpha <= 1 and 0 <= self.beta <= 1):
            raise ValueError("alpha and beta of a priority must lie between 0 and 1")
        if not 0 < self.epsilon < np.inf:
            raise ValueError("epsilon of a priority must be above 0")


class Priorities:
    """A priority for each experience of a memory; other rows have 0 and are never drawn."""

    def __init__(self, capacity: int, settings: Priority) -> None:
        self._settings = settings
        self._tree = SumTree(capacity)  # of priorities to the power of alpha
        self._largest = 1.0  # of these, ever

    def begin(self, rows: Rows) -> None:
        """New ones get the largest so far, so that each is soon seen."""
        self._tree.set(rows, np.full(len(rows), self._largest))

    def forget(self, rows: Rows) -> None:
        self._tree.set(rows, np.zeros(len(rows)))

    def draw(self, uniforms: NDArray[np.float64], count: int) -> tuple[Rows, NDArray[np.float64]]:
        """Rows and importance weights, (N p) ** -beta for `count` = N experiences."""
        rows = self._tree.sample(uniforms)
        probs = self._tree.values(rows) / self._tree.total
        return rows, (count * probs) ** -self._settings.beta

    def correct(self, rows: Rows, errors: NDArray[np.floating]) -> None:
        if not np.all(np.isfinite(errors)):
            raise ValueError("an error that is not finite cannot be a priority")
        values = (np.abs(errors, dtype=np.float64) + self._settings.epsilon) ** self._settings.alpha
        self._tree.set(rows, values)
        self._largest = max(self._largest, float(values.max(initial=0)))

    def arrays(self, rows: Rows) -> dict[str, NDArray[Any]]:
        return {"priorities": self._tree.values(rows), "largest": np.array(self._largest)}

    def load(self, rows: Rows, arrays: Mapping[str, NDArray[Any]]) -> None:
        """What `arrays` returned once for these rows, into memory whose experiences have begun."""
        values, largest = arrays["priorities"], float(arrays["largest"])
        experiences = np.sign(self._tree.values(rows))
        if np.any(np.sign(values) != experiences) or np.any(values > largest):
            raise ValueError("the priorities do not belong to these pages")
        self._tree.set(rows, values)
        self._largest = largest
