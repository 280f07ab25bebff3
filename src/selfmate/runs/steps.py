"""The steps of a run: how they divide its units, and what each one came to."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from selfmate.runs.errors import RunFailedError
from selfmate.runs.sample_game import SampleGame

MOST_ATTEMPTS = 3  # from the same checkpoint


@dataclass(frozen=True, kw_only=True)
class Plan:
    """`total` units in steps of `size`; steps count from 1, the last one may be shorter."""

    total: int
    unit: str
    size: int

    def __post_init__(self) -> None:
        if self.total < 1 or self.size < 1:
            raise ValueError(f"total {self.total} and size {self.size} of a run are at least 1")

    @property
    def count(self) -> int:
        return -(-self.total // self.size)

    def done(self, step: int) -> int:
        """Units that are done after `step`."""
        return min(step * self.size, self.total)


@dataclass(frozen=True)
class Note:
    """A sentence for people; one that is not aloud is only kept, an alarm says what to do."""

    text: str
    aloud: bool
    alarm: bool


class RunStep:
    """A `Step`; `figures` and `score` are what was recorded, `failure` why it came to nothing."""

    def __init__(self, plan: Plan, number: int, still_good: str, attempt: int = 1) -> None:
        self.number, self.attempt = number, attempt
        self.start, self.stop = plan.done(number - 1), plan.done(number)
        self.score: float | None = None
        self.best: bool | None = None
        self.seconds: Mapping[str, float] = {}
        self.notes: list[Note] = []
        self.sample: SampleGame | None = None
        self.failure: str | None = None
        self.is_last = number == plan.count
        self._taken = ("step", plan.unit)
        self._still_good = still_good
        self._figures: dict[str, float] | None = None

    @property
    def figures(self) -> dict[str, float]:
        if self._figures is None:
            raise RuntimeError(f"step {self.number} was not recorded before the next was asked for")
        return self._figures

    def record(
        self,
        figures: Mapping[str, float],
        score: float | None = None,
        *,
        best: bool | None = None,
        seconds: Mapping[str, float] | None = None,
    ) -> None:
        self._check_open()
        if best and score is None:
            raise RuntimeError("the best step must have a score")
        for name, value in figures.items():
            self._check(name, value)
        if score is not None:
            self._check("score", score)
            self.score = float(score)
        self.best, self.seconds = best, seconds or {}
        self._figures = {name: _plain(value) for name, value in figures.items()}

    def say(self, note: str, *, aloud: bool = True, alarm: bool = False) -> None:
        self.notes.append(Note(note, aloud, alarm))

    def show(self, game: SampleGame) -> None:
        if self.sample is not None:
            raise RuntimeError(f"step {self.number} has shown a game already")
        self.sample = game

    def finish(self) -> None:
        self.is_last = True

    def is_best(self, best_score: float | None) -> bool:
        """Whether it takes the place of a best one with this score, or of none."""
        if self.score is None or self.best is not None:
            return bool(self.best)
        return best_score is None or self.score > best_score

    def go_back(self, reason: str) -> None:
        self._check_open()
        self.failure = f"step {self.number} came to nothing: {reason}"

    def _check_open(self) -> None:
        if self._figures is not None or self.failure is not None:
            raise RuntimeError(f"step {self.number} was recorded twice")

    def _check(self, name: str, value: float) -> None:
        if name in self._taken:
            raise RuntimeError(f"a figure cannot be named {name}: every line has that already")
        if not math.isfinite(value):
            raise RunFailedError(f"{name} became {value} in step {self.number}; {self._still_good}")


def _plain(value: float) -> float:
    """NumPy's numbers do not go into JSON."""
    return value if type(value) is int else float(value)
