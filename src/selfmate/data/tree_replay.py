"""The newest positions of self-play, drawn from at random, newer ones more often."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from selfmate.data.examples import Examples, wdl_of
from selfmate.data.tree_games import TreeGames
from selfmate.encodings.stored import planes_of
from selfmate.rules.ragged import Ragged, places_of_rows

NEWEST = 0.25  # this part of the positions counts as recent
Rows = NDArray[np.int64]


class TreeReplay:
    """Whole pages of games; the oldest leave when there are more positions than `capacity`."""

    def __init__(self, capacity: int, recent: float, search_share: float = 0.0) -> None:
        """A share `recent` of what is drawn comes from the newest quarter. Values are to be how
        games ended, and in a share `search_share` what the search expected."""
        self._capacity, self._recent, self._search_share = capacity, recent, search_share
        self.pages: dict[str, TreeGames] = {}

    def __len__(self) -> int:
        return sum(map(len, self.pages.values()))

    def add(self, name: str, games: TreeGames) -> None:
        """A page that alone is too large stays: there must be something to draw from."""
        self.pages[name] = games
        while len(self) > self._capacity and len(self.pages) > 1:
            del self.pages[next(iter(self.pages))]

    def load(self, pages: Mapping[str, TreeGames]) -> None:
        self.pages = dict(pages)

    def draw(self, dice: np.random.Generator, count: int) -> Examples:
        """Positions may come twice; there must be one at least."""
        size = len(self)
        first_recent = size - max(1, round(NEWEST * size))
        is_recent = (dice.random(count) < self._recent) | (first_recent == 0)
        least, end = np.where(is_recent, first_recent, 0), np.where(is_recent, size, first_recent)
        rows = dice.integers(least, end)
        return self.examples(np.sort(rows))  # page by page; the order within a batch is no matter

    def examples(self, rows: Rows) -> Examples:
        """For rows counted over all pages, in ascending order."""
        starts = np.cumsum([0, *map(len, self.pages.values())])
        bounds = np.searchsorted(rows, starts)
        parts = [
            _examples(page, rows[begin:end] - start, self._search_share)
            for page, start, begin, end in zip(
                self.pages.values(), starts[:-1], bounds[:-1], bounds[1:], strict=True
            )
            if end > begin
        ]
        return joined(parts)


def _examples(games: TreeGames, rows: Rows, search_share: float) -> Examples:
    places, offsets = places_of_rows(games.offsets, rows)
    shares = games.shares[places].astype(np.float32)
    sums = np.add.reduceat(shares, offsets[:-1])
    ended, expected = wdl_of(games.results_side_to_move[rows]), games.wdl_side_to_move[rows]
    return Examples(
        planes=planes_of(games.stored[rows]),
        legal=Ragged(games.actions[places].astype(np.int32), offsets),
        policy=shares / np.repeat(sums, np.diff(offsets)),
        wdl_side_to_move=ended + np.float32(search_share) * (expected - ended),
    )


def joined(parts: list[Examples]) -> Examples:
    """All examples, one part behind the other."""
    counts = np.concatenate([part.legal.counts for part in parts])
    return Examples(
        planes=np.concatenate([part.planes for part in parts]),
        legal=Ragged(
            np.concatenate([part.legal.values for part in parts]),
            np.concatenate([[0], np.cumsum(counts)]),
        ),
        policy=np.concatenate([part.policy for part in parts]),
        wdl_side_to_move=np.concatenate([part.wdl_side_to_move for part in parts]),
    )
