"""What a learner sees of its run: the steps it asks for, the state it saves, how a run can fail."""

import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from selfmate.runs.activity import Activity, Tick, tick_of, unwatched

MAX_NAMES_SHOWN = 3
Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
Arrays = Mapping[str, NDArray[Any]]

MAX_MOVES = 2**14
MAX_MOVE_LENGTH, MAX_TEXT_LENGTH = 5, 200
MAX_SAMPLE_BYTES = 2**17  # of a line in games/samples.jsonl, whatever characters it has


class RunRefusedError(ValueError):
    """The run cannot start or resume as asked; the text says what would work."""


class CorruptError(ValueError):
    """A file of a run cannot be trusted; the text is the reason."""


class RunFailedError(Exception):
    """The run had to end; the text says why and which checkpoint is still good."""


@dataclass(frozen=True, kw_only=True)
class SavedState:
    """Everything a learner needs to continue as if it had never stopped."""

    weights: Arrays  # what plays; `--load` takes these alone
    rest: Arrays  # optimizer state, games in progress and other arrays that change
    facts: Mapping[str, Json]  # counters and states of random generators
    # Large arrays that never change, such as the games of a cycle. A shard is written once: as long
    # as its name is in use, it stands for the same arrays.
    shards: Mapping[str, Arrays] = field(default_factory=dict)


class State(Protocol):
    """What a run saves and restores: one object that the learner provides."""

    def save(self) -> SavedState: ...

    def load(self, saved: SavedState) -> None:
        """Restores what `save` returned; ValueError says what does not fit. Also called between
        steps, when the run rolls back: nothing of later steps may remain."""

    def load_weights(self, weights: Arrays) -> None:
        """Takes over another run's weights only; ValueError says what does not fit."""


@dataclass(frozen=True, kw_only=True)
class SampleGame:
    """A game that a learner played in a step, for people to look at. What the texts mean is
    described in docs/runs.md."""

    start: str  # the starting position
    moves: tuple[str, ...]
    result: str
    reason: str  # why it ended
    white: str
    black: str

    def __post_init__(self) -> None:
        if len(self.moves) > MAX_MOVES:
            raise ValueError(f"a sample game has at most {MAX_MOVES:,} moves")
        for move in self.moves:
            if len(move) > MAX_MOVE_LENGTH or not (move.isascii() and move.isalnum()):
                raise ValueError(
                    f"{move[:9]!r} is no move: 1 to {MAX_MOVE_LENGTH} ASCII letters and digits"
                )
        for name, text in asdict(self).items():
            if name != "moves" and len(text) > MAX_TEXT_LENGTH:
                raise ValueError(
                    f"{name} of a sample game has at most {MAX_TEXT_LENGTH} characters"
                )

    def entry(self, step: int) -> dict[str, str | int]:
        """The game as a line of games/samples.jsonl."""
        return {"step": step, **asdict(self), "moves": " ".join(self.moves)}


class Step(Protocol):
    """One step of a run, in which the units `start` to `stop` (episodes, cycles) are trained."""

    @property
    def number(self) -> int: ...

    @property
    def start(self) -> int: ...

    @property
    def stop(self) -> int: ...

    @property
    def attempt(self) -> int:
        """1, and one more for each time the run rolled back to the checkpoint before this step. A
        learner that does nothing differently fails again in the same way."""

    def record(
        self,
        metrics: Mapping[str, float],
        score: float | None = None,
        *,
        best: bool | None = None,
        seconds: Mapping[str, float] | None = None,
        cluster: Mapping[str, float] | None = None,
    ) -> None:
        """Records the metrics of this step, once per step. A value that is not finite ends the run.
        The step with the highest `score` so far is saved as the best, unless the learner decides by
        `best` whether this one is. `seconds` is the time spent in each part of the step, `cluster`
        what its workers did."""

    def log_updates(self, first: int, metrics: Mapping[str, Sequence[float]]) -> None:
        """Saves metrics of the single gradient updates of this step, from update number `first` on:
        as many values of each metric as there were updates. Once per step, beside `record`."""

    def part(self, name: str, total: int, unit: str) -> Tick:
        """The tick of a part of this step, such as self-play with `total` games. Steps that take
        longer than a second have parts: what they tick is shown, and when the run is asked to stop
        the next tick ends the step, by an exception that the learner lets pass."""

    def say(self, note: str, *, aloud: bool = True, alarm: bool = False) -> None:
        """Adds a note for people. It is saved with the step and printed if `aloud`. An alarm is a
        note that asks somebody to act."""

    def show(self, game: SampleGame) -> None:
        """Saves a sample game of this step, at most one."""

    def finish(self) -> None:
        """Ends the run after this step: more training would not help. Called beside `record`."""

    def roll_back(self, reason: str) -> None:
        """Gives this step up, instead of calling `record`. The next step that is asked for starts
        from the last regular checkpoint."""


class Run(Protocol):
    """What `train` is given. Nothing calls the learner back: it asks for its next step."""

    def steps(
        self,
        state: State,
        *,
        total: int,
        unit: str,
        size: int = 1,
        player: Mapping[str, Json],
    ) -> Iterator[Step]:
        """The steps that remain, of `size` units each until `total`.

        A resumed run first loads its checkpoint into `state`. Checkpoints are written between
        steps. The iterator ends early if the run is asked to stop. `player` is written into every
        checkpoint's card: it says how to play with the weights."""


def means_of(metrics: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean of each metric over several updates."""
    return {name: float(np.mean([one[name] for one in metrics])) for name in metrics[0]}


def copied(arrays: Arrays) -> Arrays:
    """A snapshot of arrays that are changed in place."""
    return {name: array.copy() for name, array in arrays.items()}


def restore(arrays: Arrays, saved: Arrays) -> None:
    """Writes saved values into the arrays; ValueError unless names, shapes and types agree."""
    check_layout(saved, arrays)
    for name, array in arrays.items():
        array[...] = saved[name]


def with_prefix(**parts: Arrays) -> Arrays:
    """The arrays of several parts in one mapping, as `part.name`."""
    return {f"{part}.{name}": array for part, of in parts.items() for name, array in of.items()}


def split_prefix(arrays: Arrays) -> dict[str, dict[str, NDArray[Any]]]:
    """The inverse of `with_prefix`: arrays by part and name."""
    parts: dict[str, dict[str, NDArray[Any]]] = {}
    for name, array in arrays.items():
        part, _, rest = name.partition(".")
        parts.setdefault(part, {})[rest] = array
    return parts


def check_finite(arrays: Arrays) -> None:
    for name, array in arrays.items():
        if array.dtype.kind in "fc" and not np.isfinite(array).all():
            raise ValueError(f"{name} holds a number that is not finite")


def check_layout(arrays: Arrays, like: Mapping[str, NDArray[Any]]) -> None:
    """For `State.load`: ValueError unless names, shapes and types are those of `like`."""
    if arrays.keys() != like.keys():
        missing, unknown = like.keys() - arrays.keys(), arrays.keys() - like.keys()
        raise ValueError(
            f"the arrays differ: missing are {_some(missing)}, unknown are {_some(unknown)}"
        )
    for name, array in arrays.items():
        given, wanted = _layout(array), _layout(like[name])
        if given != wanted:
            raise ValueError(f"{name} is {given}, not {wanted}")


def _some(names: Iterable[str]) -> str:
    """A net has hundreds of arrays: a few names are enough."""
    first = sorted(names)
    more = f" and {len(first) - MAX_NAMES_SHOWN} more" if len(first) > MAX_NAMES_SHOWN else ""
    return (", ".join(first[:MAX_NAMES_SHOWN]) or "none") + more


def _layout(array: NDArray[Any]) -> str:
    return f"{array.dtype}{list(array.shape)}"


class Stopwatch:
    """`with watch("playing"):` adds up the seconds of each part; nested parts count in both, unless
    they are moved."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self._add(part, time.perf_counter() - began)

    def shift(self, outer: str, parts: Mapping[str, float]) -> None:
        """Counts the seconds of parts that were done within the part `outer` instead of it."""
        for part, seconds in parts.items():
            self._add(part, seconds)
            self._add(outer, -seconds)

    def _add(self, part: str, seconds: float) -> None:
        self.seconds[part] = self.seconds.get(part, 0.0) + seconds


MAX_ATTEMPTS = 3  # from the same checkpoint
SECONDS_ENOUGH = 0.4
NOTHING_WRITTEN = "nothing is written in a rehearsal"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """`total` units in steps of `size`. Steps count from 1; the last one may be shorter."""

    total: int
    unit: str
    size: int

    def __post_init__(self) -> None:
        if self.total < 1 or self.size < 1:
            raise ValueError(
                f"a run has a total and a size of at least 1, not {self.total} and {self.size}"
            )

    @property
    def count(self) -> int:
        return -(-self.total // self.size)

    def done(self, step: int) -> int:
        """How many units are done after `step`."""
        return min(step * self.size, self.total)


@dataclass(frozen=True)
class Note:
    """A sentence for people. Without `aloud` it is saved and not printed; an alarm asks to act."""

    text: str
    aloud: bool
    alarm: bool


class RunStep:
    """Implements `Step`. `failure` says why the step was given up; None if it was not. `watch` gets
    its activities, and may raise."""

    def __init__(
        self,
        plan: Plan,
        number: int,
        still_good: str,
        attempt: int = 1,
        watch: Callable[[Activity], None] | None = None,
    ) -> None:
        self.number, self.attempt = number, attempt
        self.start, self.stop = plan.done(number - 1), plan.done(number)
        self.score: float | None = None
        self.best: bool | None = None
        self.seconds: Mapping[str, float] = {}
        self.cluster: Mapping[str, float] = {}
        self.notes: list[Note] = []
        self.sample: SampleGame | None = None
        self.first_update = 0
        self.updates: Mapping[str, Sequence[float]] = {}
        self.failure: str | None = None
        self.is_last = number == plan.count
        self._reserved = ("step", plan.unit)
        self._still_good, self._watch = still_good, watch
        self._metrics: dict[str, float] | None = None

    @property
    def metrics(self) -> dict[str, float]:
        if self._metrics is None:
            raise RuntimeError(f"step {self.number} was not recorded before the next was asked for")
        return self._metrics

    def record(
        self,
        metrics: Mapping[str, float],
        score: float | None = None,
        *,
        best: bool | None = None,
        seconds: Mapping[str, float] | None = None,
        cluster: Mapping[str, float] | None = None,
    ) -> None:
        self._check_open()
        if best and score is None:
            raise RuntimeError("the best step must have a score")
        for name, value in metrics.items():
            self._check(name, value)
        if score is not None:
            self._check("score", score)
            self.score = float(score)
        self.best, self.seconds, self.cluster = best, seconds or {}, cluster or {}
        self._metrics = {name: _plain(value) for name, value in metrics.items()}

    def log_updates(self, first: int, metrics: Mapping[str, Sequence[float]]) -> None:
        if self.updates:
            raise RuntimeError(f"step {self.number} has logged its updates already")
        self.first_update, self.updates = first, metrics

    def part(self, name: str, total: int, unit: str) -> Tick:
        return unwatched if self._watch is None else tick_of(name, total, unit, self._watch)

    def say(self, note: str, *, aloud: bool = True, alarm: bool = False) -> None:
        self.notes.append(Note(note, aloud, alarm))

    def show(self, game: SampleGame) -> None:
        if self.sample is not None:
            raise RuntimeError(f"step {self.number} has shown a game already")
        self.sample = game

    def finish(self) -> None:
        self.is_last = True

    def is_best(self, best_score: float | None) -> bool:
        """Whether this step replaces a best one with this score; None if there is none yet."""
        if self.score is None or self.best is not None:
            return bool(self.best)
        return best_score is None or self.score > best_score

    def roll_back(self, reason: str) -> None:
        self._check_open()
        self.failure = f"step {self.number} failed: {reason}"

    def _check_open(self) -> None:
        if self._metrics is not None or self.failure is not None:
            raise RuntimeError(f"step {self.number} was recorded twice")

    def _check(self, name: str, value: float) -> None:
        if name in self._reserved:
            raise RuntimeError(f"a metric cannot be named {name}: every line has that key already")
        if not math.isfinite(value):
            raise RunFailedError(f"{name} became {value} in step {self.number}; {self._still_good}")


def _plain(value: float) -> float:
    """A Python number: JSON takes none of NumPy's."""
    return value if type(value) is int else float(value)


class Rehearsal:
    """Implements `Run` without a disk, to estimate how long a run takes on this machine. The steps
    end when enough time was measured."""

    plan: Plan  # what the learner asked for

    def __init__(self) -> None:
        self._units: list[int] = []
        self._seconds: list[float] = []

    def steps(
        self,
        state: State,
        *,
        total: int,
        unit: str,
        size: int = 1,
        player: Mapping[str, Json],
    ) -> Generator[RunStep]:
        plan = self.plan = Plan(total=total, unit=unit, size=size)
        for number in range(1, plan.count + 1):
            step = RunStep(plan, number, NOTHING_WRITTEN)
            began = time.perf_counter()
            yield step
            if step.failure is not None:
                raise RunFailedError(f"{step.failure}; {NOTHING_WRITTEN}")
            step.metrics  # noqa: B018 - raises if the step was not recorded
            self._units.append(step.stop - step.start)
            self._seconds.append(time.perf_counter() - began)
            if step.is_last or sum(self._seconds) >= SECONDS_ENOUGH:
                return

    def seconds_for(self, total: int) -> float:
        """How long `total` units would take at the measured pace."""
        # The first step warms up; it counts only if there is no other.
        warm = slice(1, None) if len(self._units) > 1 else slice(None)
        return total * sum(self._seconds[warm]) / sum(self._units[warm])
