"""Rows of games in flat arrays of a fixed size, written round and round."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.data.experience import ROW_COLUMNS, Episodes
from selfmate.rules.ragged import Ragged

LEGAL_PER_ROW = 40  # room for so many legal actions a row on average; play has about 30


class Ring:
    """The newest rows. A row stands where its running number modulo the capacity says, so that a
    game's next position is in the next place, also across the seam.

    Legal actions stand in a second ring; each row knows where its own begin.
    """

    def __init__(self, capacity: int, place: int = 0) -> None:
        """The first row will stand in this place."""
        if not 0 <= place < capacity:
            raise ValueError(f"{place} is no place in a replay memory of {capacity:,} positions")
        self.capacity = capacity
        self._start = self._stop = place  # running numbers of the oldest row and of the next one
        self.columns: dict[str, NDArray[Any]] = {
            name: np.zeros((capacity, *shape), kind) for name, (kind, shape) in ROW_COLUMNS.items()
        }
        self._legal = np.zeros(capacity * LEGAL_PER_ROW, np.int16)
        self._legal_start = self._legal_stop = 0
        self._legal_places = np.zeros(capacity, np.int64)
        self._legal_counts = np.zeros(capacity, np.int16)

    @property
    def place(self) -> int:
        """Where the oldest row stands."""
        return self._start % self.capacity

    @property
    def rows(self) -> NDArray[np.int64]:
        """The places of all rows, oldest first."""
        return np.arange(self._start, self._stop) % self.capacity

    def after(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return (rows + 1) % self.capacity

    def check_size(self, page: Episodes) -> None:
        """ValueError when it would not even fit into an empty ring."""
        if len(page) > self.capacity or len(page.legal) > len(self._legal):
            raise ValueError(
                f"a page of {len(page):,} positions and {len(page.legal):,} legal actions is more "
                f"than the memory holds: {self.capacity:,} and {len(self._legal):,}"
            )

    def has_room(self, page: Episodes) -> bool:
        rows = self._stop - self._start + len(page)
        legal = self._legal_stop - self._legal_start + len(page.legal)
        return rows <= self.capacity and legal <= len(self._legal)

    def append(self, page: Episodes) -> NDArray[np.int64]:
        """Takes a page there is room for; returns the places of its rows."""
        rows = np.arange(self._stop, self._stop + len(page)) % self.capacity
        for name, column in self.columns.items():
            column[rows] = getattr(page, name)
        legal = np.arange(self._legal_stop, self._legal_stop + len(page.legal)) % len(self._legal)
        self._legal[legal] = page.legal
        self._legal_places[rows] = legal[page.legal_offsets[:-1]]
        self._legal_counts[rows] = page.legal_counts
        self._stop += len(page)
        self._legal_stop += len(page.legal)
        return rows

    def forget(self, page: Episodes) -> NDArray[np.int64]:
        """Gives up the oldest page; returns the places of its rows."""
        rows = self.rows[: len(page)]
        self._start += len(page)
        self._legal_start += len(page.legal)
        return rows

    def legal(self, rows: NDArray[np.int64]) -> Ragged:
        """The legal actions of some rows."""
        counts = self._legal_counts[rows]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        places = np.repeat(self._legal_places[rows] - offsets[:-1], counts)
        places += np.arange(offsets[-1])
        return Ragged(self._legal.take(places, mode="wrap").astype(np.int32), offsets)
