"""The steps of a run: how they divide its units, and what each one reported."""

import math
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass

from selfmate.runs.run import Json, RunFailedError, SampleGame, State

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
    """Implements `Step`. `failure` says why the step was given up; None if it was not."""

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
        self._reserved = ("step", plan.unit)
        self._still_good = still_good
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
    ) -> None:
        self._check_open()
        if best and score is None:
            raise RuntimeError("the best step must have a score")
        for name, value in metrics.items():
            self._check(name, value)
        if score is not None:
            self._check("score", score)
            self.score = float(score)
        self.best, self.seconds = best, seconds or {}
        self._metrics = {name: _plain(value) for name, value in metrics.items()}

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
