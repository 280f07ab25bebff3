"""What a learner sees of its run: the steps it asks for, the state it saves, how a run can fail."""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

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
    ) -> None:
        """Records the metrics of this step, once per step. A value that is not finite ends the run.
        The step with the highest `score` so far is saved as the best, unless the learner decides by
        `best` whether this one is. `seconds` is the time spent in each part of the step."""

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
    """`with watch("playing"):` adds up the seconds of each part; nested parts count in both."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - began
