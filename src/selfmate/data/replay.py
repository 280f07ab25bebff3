"""Replay: the newest games of self-play, sampled again and again. See docs/replay.md.

Games arrive as shards, one per cycle. A `ShardBuffer` keeps them by name, oldest first. On it stand
the replay of the DQN, which has three buffers and samples uniformly or by priority, and that of
AlphaZero, which prefers the newest quarter of its positions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import isclose
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from selfmate.data.examples import Examples, Rows, TreeGames, concatenated_examples, examples_of
from selfmate.data.priorities import Priorities, Priority
from selfmate.data.trajectories import concatenated
from selfmate.data.transitions import (
    NO_ACTION,
    Episodes,
    Ring,
    Transitions,
    high_quality_part,
    negamax_transitions,
    two_ply_transitions,
)
from selfmate.runs import check_layout

Arrays = Mapping[str, NDArray[Any]]
NEWEST = 0.25  # this part of AlphaZero's positions counts as recent
# Prefixes of the replay's shards in a run, which may keep others beside them.
SHARDS, HIGH_QUALITY = "games-", "high-quality-"


def shard_name(cycle: int) -> str:
    return f"{SHARDS}{cycle:08d}"


def replay_shards(shards: Mapping[str, Arrays]) -> dict[str, Arrays]:
    """Those of a run's shards that belong to its replay."""
    prefixes = (SHARDS, HIGH_QUALITY)
    return {name: arrays for name, arrays in shards.items() if name.startswith(prefixes)}


# The buffer.


class GameShard(Protocol):
    """Games in arrays, which never change."""

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self: ...
    def arrays(self) -> dict[str, NDArray[Any]]: ...
    def __len__(self) -> int: ...


S = TypeVar("S", bound=GameShard)


class ShardBuffer(Generic[S]):
    """Shards by name, oldest first. The owner drops the oldest when there are too many."""

    def __init__(self) -> None:
        self.shards: dict[str, S] = {}

    def __len__(self) -> int:
        """Positions in all shards."""
        return sum(map(len, self.shards.values()))

    def add(self, name: str, shard: S) -> None:
        if name in self.shards:
            raise ValueError(f"the replay already has a shard {name!r}")
        self.shards[name] = shard

    def drop_oldest(self) -> S:
        return self.shards.pop(next(iter(self.shards)))

    def arrays(self) -> dict[str, dict[str, NDArray[Any]]]:
        """What is saved, oldest first."""
        return {name: shard.arrays() for name, shard in self.shards.items()}


def read_shards(kind: type[S], shards: Mapping[str, Arrays]) -> dict[str, S]:
    """What `ShardBuffer.arrays` returned; ValueError names the shard that is something else."""
    found = {}
    for name, arrays in shards.items():
        try:
            found[name] = kind.from_arrays(arrays)
        except ValueError as error:
            raise ValueError(f"shard {name}: {error}") from error
    return found


# Sampling, always with repetition.


def sample_uniform(rng: np.random.Generator, rows: Rows, count: int) -> Rows:
    return rows[(rng.random(count) * len(rows)).astype(np.int64)]


def sample_recent(rng: np.random.Generator, size: int, count: int, recent_fraction: float) -> Rows:
    """Rows of 0 to size - 1, in ascending order: a fraction from the newest quarter, the others
    from before."""
    first_recent = size - max(1, round(NEWEST * size))
    is_recent = (rng.random(count) < recent_fraction) | (first_recent == 0)
    start, end = np.where(is_recent, first_recent, 0), np.where(is_recent, size, first_recent)
    return np.sort(rng.integers(start, end))


# The replay of the DQN: three buffers.


@dataclass(frozen=True, kw_only=True)
class Retention:
    """What each of the three buffers keeps."""

    main: int  # positions; the oldest shards leave
    high_quality: int  # positions; filtered by quality, so they stay longer than those of main
    min_quality: float  # the ends of games enter from this quality on
    recent: int  # transitions: the newest of main

    def __post_init__(self) -> None:
        if min(self.main, self.high_quality, self.recent) < 1:
            raise ValueError("a buffer of a replay must hold at least one position")
        if not 0 < self.min_quality <= 1:
            raise ValueError("the lowest quality must be above 0 and at most 1")


@dataclass(frozen=True, kw_only=True)
class SampleFractions:
    """Which buffers a batch comes from."""

    main: float
    high_quality: float
    recent: float

    def __post_init__(self) -> None:
        fractions = (self.main, self.high_quality, self.recent)
        if not (min(fractions) >= 0 and isclose(sum(fractions), 1)):
            raise ValueError(f"the fractions must be at least 0 and sum to 1, not {fractions}")


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Rows of the replay, valid until the next shard is added."""

    rows: Rows  # [B]
    weights: NDArray[np.float32]  # [B] in the loss; the largest is 1


class EpisodeBuffer(ShardBuffer[Episodes]):
    """Shards in a ring of at most `capacity` positions: the oldest make room for the newest."""

    def __init__(self, capacity: int, place: int = 0) -> None:
        super().__init__()
        self.ring = Ring(capacity, place)
        self._transitions: Rows | None = None

    @property
    def transitions(self) -> Rows:
        """The rows with an action, oldest first."""
        if self._transitions is None:
            rows = self.ring.rows
            self._transitions = rows[self.ring.columns["actions"][rows] != NO_ACTION]
        return self._transitions

    def append(self, name: str, shard: Episodes) -> tuple[Rows, Rows]:
        """The rows that were freed, and those of the shard's transitions. ValueError when the name
        is taken, or the shard alone exceeds the capacity."""
        self.ring.check_size(shard)
        self.add(name, shard)
        freed = [np.zeros(0, np.int64)]
        while not self.ring.has_room(shard):
            freed.append(self.ring.remove(self.drop_oldest()))
        self._transitions = None
        return np.concatenate(freed), self.ring.append(shard)[shard.played]


class TransitionReplay:
    """The newest games (main), the ends of decisive games of a longer time (high quality), and the
    newest transitions (recent), which are rows of main as well.

    Rows of the high-quality buffer are numbered from the capacity of main on.
    """

    def __init__(
        self, retention: Retention, *, fractions: SampleFractions, priority: Priority | None
    ) -> None:
        self.retention, self.fractions, self.priority = retention, fractions, priority
        self._clear(0, 0)

    def _clear(self, place: int, high_quality_place: int) -> None:
        self.main = EpisodeBuffer(self.retention.main, place)
        self.high_quality = EpisodeBuffer(self.retention.high_quality, high_quality_place)
        capacity = self.retention.main
        self._priorities = Priorities(capacity, self.priority) if self.priority else None

    def __len__(self) -> int:
        """Transitions of the main buffer."""
        return len(self.main.transitions)

    def add(self, name: str, shard: Episodes) -> None:
        """ValueError when the name is taken, or the shard alone exceeds the capacity."""
        self._append(name, shard)
        best = high_quality_part(shard, self.retention.min_quality, self.retention.high_quality)
        if len(best):
            self.high_quality.append(f"{HIGH_QUALITY}{name}", best)

    def sample(self, rng: np.random.Generator, count: int) -> Sample:
        """If the high-quality buffer is empty, its fraction comes from main."""
        if not len(self):
            raise ValueError("the replay is empty: there is nothing to learn from")
        high_quality, recent = self._counts(count)
        main, weights = self._sample_main(rng, count - high_quality - recent)
        newest = sample_uniform(rng, self.main.transitions[-self.retention.recent :], recent)
        best = sample_uniform(rng, self.high_quality.transitions, high_quality)
        rows = [main, newest, best + self.retention.main]
        weights = np.concatenate([weights, np.ones(recent + high_quality)])
        return Sample(
            rows=np.concatenate(rows), weights=(weights / weights.max()).astype(np.float32)
        )

    def update_priorities(self, sample: Sample, errors: NDArray[np.float32]) -> None:
        """Does nothing without prioritization, and for rows of the high-quality buffer."""
        if self._priorities is not None:
            is_main = sample.rows < self.retention.main
            self._priorities.update(sample.rows[is_main], errors[is_main])

    def negamax(self, rows: Rows, *, n_step: int, gamma: float) -> Transitions:
        """Of rows in the order of a sample: those of main come first."""
        return concatenated_transitions(
            [
                negamax_transitions(ring, part, n_step=n_step, gamma=gamma)
                for ring, part in self._by_ring(rows)
            ]
        )

    def two_ply(self, rows: Rows, *, gamma: float) -> Transitions:
        """As `negamax`."""
        return concatenated_transitions(
            [two_ply_transitions(ring, part, gamma=gamma) for ring, part in self._by_ring(rows)]
        )

    def shards(self) -> dict[str, dict[str, NDArray[Any]]]:
        """The shards to save, of both buffers that have their own."""
        return {**self.main.arrays(), **self.high_quality.arrays()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What must be saved besides the shards."""
        arrays: dict[str, NDArray[Any]] = {
            "place": np.array(self.main.ring.place, np.int64),
            "high_quality_place": np.array(self.high_quality.ring.place, np.int64),
        }
        if self._priorities is not None:
            arrays |= self._priorities.arrays(self.main.ring.rows)
        return arrays

    def load(self, shards: Mapping[str, Arrays], arrays: Arrays) -> None:
        """Restores what `shards` and `arrays` returned; ValueError says what does not fit."""
        episodes = read_shards(Episodes, shards)
        best = {name: shard for name, shard in episodes.items() if name.startswith(HIGH_QUALITY)}
        games = {name: shard for name, shard in episodes.items() if name not in best}
        check_layout(arrays, self._layout(sum(map(len, games.values()))))
        self._clear(int(arrays["place"]), int(arrays["high_quality_place"]))
        for name, shard in games.items():
            self._append(name, shard)
        for name, shard in best.items():
            self.high_quality.append(name, shard)
        if len(self.shards()) < len(shards):
            raise ValueError(
                f"the shards exceed a replay of {self.retention.main:,} positions and "
                f"{self.retention.high_quality:,} of high quality"
            )
        if self._priorities is not None:
            self._priorities.load(self.main.ring.rows, arrays)

    def _layout(self, rows: int) -> dict[str, NDArray[Any]]:
        """Arrays like those of a replay with so many positions in its main buffer."""
        place = np.array(0, np.int64)
        layout: dict[str, NDArray[Any]] = {"place": place, "high_quality_place": place}
        if self.priority is not None:
            layout |= {"priorities": np.zeros(rows), "largest": np.array(0.0)}
        return layout

    def _append(self, name: str, shard: Episodes) -> None:
        freed, added = self.main.append(name, shard)
        if self._priorities is not None:
            self._priorities.remove(freed)
            self._priorities.add(added)

    def _by_ring(self, rows: Rows) -> list[tuple[Ring, Rows]]:
        is_main = rows < self.retention.main
        parts = [
            (self.main.ring, rows[is_main]),
            (self.high_quality.ring, rows[~is_main] - self.retention.main),
        ]
        return [(ring, part) for ring, part in parts if len(part)]

    def _counts(self, count: int) -> tuple[int, int]:
        """How many rows of a sample are of high quality, and how many recent."""
        best = self.fractions.high_quality if len(self.high_quality.transitions) else 0
        both = best + self.fractions.recent
        first, all_others = np.rint(np.array([best, both]) * count).astype(int).tolist()
        return first, all_others - first

    def _sample_main(
        self, rng: np.random.Generator, count: int
    ) -> tuple[Rows, NDArray[np.float64]]:
        if self._priorities is None:
            return sample_uniform(rng, self.main.transitions, count), np.ones(count)
        return self._priorities.sample(rng.random(count), len(self))


def concatenated_transitions(parts: Sequence[Transitions]) -> Transitions:
    if len(parts) == 1:
        return parts[0]
    names = [column.name for column in fields(Transitions)]
    columns = [{name: getattr(part, name) for name in names} for part in parts]
    return Transitions(**concatenated(columns))


# The replay of AlphaZero.


class TreeReplay:
    """Searched positions; the oldest shards leave when there are more than `capacity`."""

    def __init__(
        self, capacity: int, recent_fraction: float, search_value_fraction: float = 0.0
    ) -> None:
        """`search_value_fraction` of a value target is what the search expected, the rest is the
        game's result."""
        self._capacity, self._recent_fraction = capacity, recent_fraction
        self._search_value_fraction = search_value_fraction
        self.buffer = ShardBuffer[TreeGames]()

    def __len__(self) -> int:
        return len(self.buffer)

    def add(self, name: str, games: TreeGames) -> None:
        """A shard that alone exceeds the capacity stays: there must be something to sample."""
        self.buffer.add(name, games)
        while len(self) > self._capacity and len(self.buffer.shards) > 1:
            self.buffer.drop_oldest()

    def load(self, shards: Mapping[str, Arrays]) -> None:
        """Restores what `buffer.arrays` returned."""
        self.buffer.shards = read_shards(TreeGames, shards)

    def sample(self, rng: np.random.Generator, count: int) -> Examples:
        return self.examples(self.sample_rows(rng, count))

    def sample_rows(self, rng: np.random.Generator, count: int) -> Rows:
        """Rows counted over all shards, in ascending order."""
        return sample_recent(rng, len(self), count, self._recent_fraction)

    def examples(self, rows: Rows) -> Examples:
        """For rows counted over all shards, in ascending order."""
        fraction = self._search_value_fraction
        return concatenated_examples(
            [examples_of(shard, part, fraction) for shard, part in self.parts(rows)]
        )

    def parts(self, rows: Rows) -> list[tuple[TreeGames, Rows]]:
        """The same rows by shard, counted within each."""
        shards = list(self.buffer.shards.values())
        starts = np.cumsum([0, *map(len, shards)])
        bounds = np.searchsorted(rows, starts)
        return [
            (shard, rows[begin:end] - start)
            for shard, start, begin, end in zip(
                shards, starts[:-1], bounds[:-1], bounds[1:], strict=True
            )
            if end > begin
        ]
