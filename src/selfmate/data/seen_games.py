"""Digests of the games that came so far, eight bytes each, to know one that comes again."""

import numpy as np
from numpy.typing import NDArray

FEWEST_TO_MERGE = 1 << 16


class SeenGames:
    def __init__(self) -> None:
        self._sorted: NDArray[np.uint64] = np.empty(0, np.uint64)
        self._recent: set[int] = set()  # a set is quick, but takes ten times the room

    def add(self, digests: list[int]) -> list[bool]:
        """Whether each was new; they are not any more."""
        wanted = np.array(digests, np.uint64)
        after = np.searchsorted(self._sorted, wanted, side="right")
        old = np.searchsorted(self._sorted, wanted) < after
        new = []
        for digest, is_old in zip(digests, old.tolist(), strict=True):
            new.append(not is_old and digest not in self._recent)
            if new[-1]:
                self._recent.add(digest)
        self._merge()
        return new

    def _merge(self) -> None:
        if len(self._recent) >= max(FEWEST_TO_MERGE, len(self._sorted) // 8):
            recent = np.fromiter(self._recent, np.uint64)
            self._sorted = np.sort(np.concatenate([self._sorted, recent]))
            self._recent = set()
