"""Replay: the newest games of self-play, sampled again and again. See docs/replay.md.

Games arrive as shards, one per cycle. A `ShardBuffer` keeps them by name, oldest first. On it stand
the replay of the DQN, which samples transitions uniformly, by priority, from decisive games and
from the newest shard, and that of AlphaZero, which prefers the newest quarter of its positions.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isclose
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from selfmate.data.examples import Examples, Rows, TreeGames, concatenated_examples, examples_of
from selfmate.data.transitions import (
    NO_ACTION,
    Episodes,
    Ring,
    Transitions,
    negamax_transitions,
    two_ply_transitions,
)
from selfmate.runs import check_layout

Arrays = Mapping[str, NDArray[Any]]
DECISIVE_FROM = 0.75  # decisive transitions begin at this quantile of the qualities above 0
NEWEST = 0.25  # this part of AlphaZero's positions counts as recent
SHARDS = "games-"  # prefix of the replay's shards in a run, which may keep others beside them


def shard_name(cycle: int) -> str:
    return f"{SHARDS}{cycle:08d}"


def replay_shards(shards: Mapping[str, Arrays]) -> dict[str, Arrays]:
    """Those of a run's shards that belong to its replay."""
    return {name: arrays for name, arrays in shards.items() if name.startswith(SHARDS)}


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


# The replay of the DQN.


@dataclass(frozen=True, kw_only=True)
class SampleFractions:
    """Where a batch comes from: the whole replay, its decisive transitions, the newest shard."""

    main: float
    decisive: float
    recent: float

    def __post_init__(self) -> None:
        fractions = (self.main, self.decisive, self.recent)
        if not (min(fractions) >= 0 and isclose(sum(fractions), 1)):
            raise ValueError(f"the fractions must be at least 0 and sum to 1, not {fractions}")


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Rows of the replay, valid until the next shard is added."""

    rows: Rows  # [B]
    weights: NDArray[np.float32]  # [B] in the loss; the largest is 1


class TransitionReplay:
    """Episodes of at most `capacity` positions; the oldest shards make room for the newest."""

    def __init__(
        self, capacity: int, *, fractions: SampleFractions, priority: Priority | None
    ) -> None:
        if capacity < 1:
            raise ValueError(f"a replay of {capacity} positions cannot hold any")
        self.capacity, self.fractions, self.priority = capacity, fractions, priority
        self._clear(0)

    def _clear(self, place: int) -> None:
        self.buffer = ShardBuffer[Episodes]()
        self._ring = Ring(self.capacity, place)
        self._priorities = Priorities(self.capacity, self.priority) if self.priority else None
        self._divide()

    def __len__(self) -> int:
        """Transitions that can be sampled."""
        return len(self._main)

    def add(self, name: str, shard: Episodes) -> None:
        """ValueError when the name is taken, or the shard alone exceeds the capacity."""
        self._append(name, shard)
        self._divide()

    def sample(self, rng: np.random.Generator, count: int) -> Sample:
        """If a part is empty, its fraction comes from the whole replay."""
        if not len(self):
            raise ValueError("the replay is empty: there is nothing to learn from")
        decisive, recent = self._counts(count)
        main, weights = self._sample_main(rng, count - decisive - recent)
        rows = [
            main,
            sample_uniform(rng, self._decisive, decisive),
            sample_uniform(rng, self._recent, recent),
        ]
        weights = np.concatenate([weights, np.ones(decisive + recent)])
        return Sample(
            rows=np.concatenate(rows), weights=(weights / weights.max()).astype(np.float32)
        )

    def update_priorities(self, sample: Sample, errors: NDArray[np.float32]) -> None:
        """Does nothing without prioritization."""
        if self._priorities is not None:
            self._priorities.update(sample.rows, errors)

    def negamax(self, rows: Rows, *, n_step: int, gamma: float) -> Transitions:
        return negamax_transitions(self._ring, rows, n_step=n_step, gamma=gamma)

    def two_ply(self, rows: Rows, *, gamma: float) -> Transitions:
        return two_ply_transitions(self._ring, rows, gamma=gamma)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What must be saved besides the shards."""
        arrays: dict[str, NDArray[Any]] = {"place": np.array(self._ring.place, np.int64)}
        if self._priorities is not None:
            arrays |= self._priorities.arrays(self._ring.rows)
        return arrays

    def load(self, shards: Mapping[str, Arrays], arrays: Arrays) -> None:
        """Restores what `buffer.arrays` and `arrays` returned; ValueError says what does not
        fit."""
        episodes = read_shards(Episodes, shards)
        check_layout(arrays, self._layout(sum(map(len, episodes.values()))))
        self._clear(int(arrays["place"]))
        for name, shard in episodes.items():
            self._append(name, shard)
        if len(self.buffer.shards) < len(episodes):
            raise ValueError(f"the shards exceed a replay of {self.capacity:,} positions")
        self._divide()
        if self._priorities is not None:
            self._priorities.load(self._ring.rows, arrays)

    def _layout(self, rows: int) -> dict[str, NDArray[Any]]:
        """Arrays like those of a replay with so many positions."""
        layout: dict[str, NDArray[Any]] = {"place": np.array(0, np.int64)}
        if self.priority is not None:
            layout |= {"priorities": np.zeros(rows), "largest": np.array(0.0)}
        return layout

    def _append(self, name: str, shard: Episodes) -> None:
        self._ring.check_size(shard)
        self.buffer.add(name, shard)
        while not self._ring.has_room(shard):
            rows = self._ring.remove(self.buffer.drop_oldest())
            if self._priorities is not None:
                self._priorities.remove(rows)
        rows = self._ring.append(shard)
        if self._priorities is not None:
            self._priorities.add(rows[shard.played])

    def _divide(self) -> None:
        """Finds the rows of the three parts."""
        rows = self._ring.rows
        self._main = rows[self._ring.columns["actions"][rows] != NO_ACTION]
        qualities = self._ring.columns["qualities"][self._main]
        positive = qualities[qualities > 0]
        bar = np.quantile(positive, DECISIVE_FROM) if len(positive) else np.inf
        self._decisive = self._main[qualities >= bar]
        newest = [*self.buffer.shards.values()][-1:]
        recent = sum(np.count_nonzero(shard.played) for shard in newest)
        self._recent = self._main[len(self) - recent :]

    def _counts(self, count: int) -> tuple[int, int]:
        """How many rows of a sample are decisive and recent ones."""
        decisive = self.fractions.decisive if len(self._decisive) else 0
        recent = self.fractions.recent if len(self._recent) else 0
        first, both = np.rint(np.array([decisive, decisive + recent]) * count).astype(int).tolist()
        return first, both - first

    def _sample_main(
        self, rng: np.random.Generator, count: int
    ) -> tuple[Rows, NDArray[np.float64]]:
        if self._priorities is None:
            return sample_uniform(rng, self._main, count), np.ones(count)
        return self._priorities.sample(rng.random(count), len(self))


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
        return self.examples(sample_recent(rng, len(self), count, self._recent_fraction))

    def examples(self, rows: Rows) -> Examples:
        """For rows counted over all shards, in ascending order."""
        shards = list(self.buffer.shards.values())
        starts = np.cumsum([0, *map(len, shards)])
        bounds = np.searchsorted(rows, starts)
        parts = [
            examples_of(shard, rows[begin:end] - start, self._search_value_fraction)
            for shard, start, begin, end in zip(
                shards, starts[:-1], bounds[:-1], bounds[1:], strict=True
            )
            if end > begin
        ]
        return concatenated_examples(parts)
