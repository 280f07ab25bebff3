"""The replay memory: what was played lately, to be learned from again. See docs/replay.md."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.data.experience import NO_ACTION, Episodes
from selfmate.data.moves import Moves, Rows, negamax_moves, two_ply_moves
from selfmate.data.priorities import Priorities, Priority
from selfmate.data.ring import Ring
from selfmate.runs.tensors import check_layout

__all__ = ["Drawn", "Moves", "Priority", "Replay", "Shares"]

BEST_FROM = 0.75  # the best part begins at this quantile of the qualities above 0

Arrays = Mapping[str, NDArray[Any]]
PAGES = "games-"  # how its pages begin in a run, which may keep others beside them


def page_name(cycle: int) -> str:
    return f"{PAGES}{cycle:08d}"


def pages_of_replay(pages: Mapping[str, Arrays]) -> dict[str, Arrays]:
    """Those of a run's pages that are a replay memory's."""
    return {name: page for name, page in pages.items() if name.startswith(PAGES)}


@dataclass(frozen=True, kw_only=True)
class Shares:
    """Where a draw comes from: all of the memory, its best part, the newest page."""

    main: float
    high: float
    recent: float

    def __post_init__(self) -> None:
        shares = (self.main, self.high, self.recent)
        if not (min(shares) >= 0 and isclose(sum(shares), 1)):
            raise ValueError(f"the shares of a draw must be 0 or more and sum to 1, not {shares}")


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Rows of the memory, good until the next page is added, and what each counts in the loss."""

    rows: Rows  # [B]
    weights: NDArray[np.float32]  # [B] the largest is 1


class Replay:
    """Pages of games, at most `capacity` positions; the oldest pages make room for the newest."""

    def __init__(self, capacity: int, *, shares: Shares, priority: Priority | None) -> None:
        if capacity < 1:
            raise ValueError(f"a replay memory of {capacity} positions cannot hold any")
        self.capacity, self.shares, self.priority = capacity, shares, priority
        self._begin(0)

    def _begin(self, place: int) -> None:
        self.episodes: dict[str, Episodes] = {}  # oldest first
        self._ring = Ring(self.capacity, place)
        self._priorities = Priorities(self.capacity, self.priority) if self.priority else None
        self._divide()

    def __len__(self) -> int:
        """Experiences that can be drawn."""
        return len(self._main)

    def add(self, name: str, page: Episodes) -> None:
        """ValueError when the name is taken, or the page alone is more than the memory holds."""
        self._append(name, page)
        self._divide()

    def draw(self, dice: np.random.Generator, count: int) -> Drawn:
        """With repetition. The share of a part that is empty comes from all of the memory."""
        if not len(self):
            raise ValueError("the replay memory is empty: there is nothing to learn from")
        high, recent = self._counts(count)
        main, weights = self._draw_main(dice, count - high - recent)
        rows = [main, _any(dice, self._high, high), _any(dice, self._recent, recent)]
        weights = np.concatenate([weights, np.ones(high + recent)])
        return Drawn(
            rows=np.concatenate(rows), weights=(weights / weights.max()).astype(np.float32)
        )

    def correct(self, drawn: Drawn, errors: NDArray[np.float32]) -> None:
        """What was drawn gets priorities by its new errors; without priorities nothing happens."""
        if self._priorities is not None:
            self._priorities.correct(drawn.rows, errors)

    def moves(self, rows: Rows, *, steps: int, gamma: float) -> Moves:
        """For n-step negamax targets: returns are the sum over k of (-gamma)^k r_k, discounts are
        (-gamma)^steps."""
        return negamax_moves(self._ring, rows, steps=steps, gamma=gamma)

    def two_ply(self, rows: Rows, *, gamma: float) -> Moves:
        """For targets of the same mover after the reply: discounts are gamma."""
        return two_ply_moves(self._ring, rows, gamma=gamma)

    def pages(self) -> dict[str, dict[str, NDArray[Any]]]:
        """What was added and is still there, oldest first."""
        return {name: page.arrays() for name, page in self.episodes.items()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What must be saved besides the pages."""
        arrays: dict[str, NDArray[Any]] = {"place": np.array(self._ring.place, np.int64)}
        if self._priorities is not None:
            arrays |= self._priorities.arrays(self._ring.rows)
        return arrays

    def load(self, pages: Mapping[str, Arrays], arrays: Arrays) -> None:
        """Takes over what `pages` and `arrays` returned once, instead of all that was there;
        ValueError says what does not fit."""
        episodes = {name: _read(name, page) for name, page in pages.items()}
        check_layout(arrays, self._layout(sum(map(len, episodes.values()))))
        self._begin(int(arrays["place"]))
        for name, page in episodes.items():
            self._append(name, page)
        if len(self.episodes) < len(episodes):
            raise ValueError(f"the pages are too many for a memory of {self.capacity:,} positions")
        self._divide()
        if self._priorities is not None:
            self._priorities.load(self._ring.rows, arrays)

    def _layout(self, rows: int) -> dict[str, NDArray[Any]]:
        """Arrays like those of a memory with so many positions."""
        layout: dict[str, NDArray[Any]] = {"place": np.array(0, np.int64)}
        if self.priority is not None:
            layout |= {"priorities": np.zeros(rows), "largest": np.array(0.0)}
        return layout

    def _append(self, name: str, page: Episodes) -> None:
        if name in self.episodes:
            raise ValueError(f"there is a page {name!r} in the replay memory already")
        self._ring.check_size(page)
        while not self._ring.has_room(page):
            self._forget_oldest()
        rows = self._ring.append(page)
        self.episodes[name] = page
        if self._priorities is not None:
            self._priorities.begin(rows[page.played])

    def _forget_oldest(self) -> None:
        rows = self._ring.forget(self.episodes.pop(next(iter(self.episodes))))
        if self._priorities is not None:
            self._priorities.forget(rows)

    def _divide(self) -> None:
        """Finds the rows of the three parts anew."""
        rows = self._ring.rows
        self._main = rows[self._ring.columns["actions"][rows] != NO_ACTION]
        qualities = self._ring.columns["qualities"][self._main]
        good = qualities[qualities > 0]
        bar = np.quantile(good, BEST_FROM) if len(good) else np.inf
        self._high = self._main[qualities >= bar]
        newest = [*self.episodes.values()][-1:]
        recent = sum(np.count_nonzero(page.played) for page in newest)
        self._recent = self._main[len(self) - recent :]

    def _counts(self, count: int) -> tuple[int, int]:
        """How many of a draw come from the best and from the newest part."""
        high = self.shares.high if len(self._high) else 0
        recent = self.shares.recent if len(self._recent) else 0
        best, both = np.rint(np.array([high, high + recent]) * count).astype(int).tolist()
        return best, both - best

    def _draw_main(self, dice: np.random.Generator, count: int) -> tuple[Rows, NDArray[np.float64]]:
        if self._priorities is None:
            return _any(dice, self._main, count), np.ones(count)
        return self._priorities.draw(dice.random(count), len(self))


def _any(dice: np.random.Generator, rows: Rows, count: int) -> Rows:
    return rows[(dice.random(count) * len(rows)).astype(np.int64)]


def _read(name: str, page: Arrays) -> Episodes:
    try:
        return Episodes.from_arrays(page)
    except ValueError as error:
        raise ValueError(f"page {name}: {error}") from error
