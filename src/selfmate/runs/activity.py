"""What a step is doing at the moment, and how it hears that the run shall stop."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

SLOW = 2  # units per second or minute; below, they are counted by the minute or hour
MIN_SECONDS = 1e-3
SECONDS_BETWEEN_TICKS = 0.1  # others are not looked at


def speed_text(rate: float, unit: str) -> str:
    """A rate per second in words: 340 moves/s, 12.5 games/min, 1.3 cycles/h."""
    if rate >= SLOW:
        return f"{rate:,.0f} {unit}/s"
    return f"{60 * rate:.1f} {unit}/min" if 60 * rate >= SLOW else f"{3600 * rate:.1f} {unit}/h"


class StepAbandoned(BaseException):
    """The run shall stop, and this step was not done. Raised by ticks, caught by the run: a resumed
    run makes the step again."""


class Tick(Protocol):
    """Says how far a part of a step is. Cheap: to be called after every batch or ply, on any
    thread. The last of `counts` is what the speed is measured in, if not the units themselves."""

    def __call__(self, done: int, **counts: int) -> None: ...


def unwatched(done: int, **counts: int) -> None:
    """The tick of work that nobody watches."""


@dataclass(frozen=True, kw_only=True)
class Activity:
    """What a step is doing at the moment."""

    part: str  # such as self-play
    done: int
    total: int
    unit: str
    counts: Mapping[str, int]  # by their units
    seconds: float  # since this part began
    seconds_left: float | None = None  # in this session; None: unknown yet

    def text(self) -> str:
        """self-play: 3 of 64 games, 512 moves, 340 positions/s"""
        *counts, (unit, count) = [*self.counts.items()] or [(self.unit, self.done)]
        speed = speed_text(count / max(self.seconds, MIN_SECONDS), unit)
        more = [f"{number:,} {name}" for name, number in counts]
        first = f"{self.part}: {self.done:,} of {self.total:,} {self.unit}"
        return ", ".join([first, *more, *([speed] if count else [])])


def tick_of(part: str, total: int, unit: str, watch: Callable[[Activity], None]) -> Tick:
    """The tick of a part that begins now. `watch` may raise, to end the step."""
    began = time.monotonic()
    due = began + SECONDS_BETWEEN_TICKS

    def tick(done: int, **counts: int) -> None:
        nonlocal due
        now = time.monotonic()
        if now < due:
            return
        due = now + SECONDS_BETWEEN_TICKS
        watch(
            Activity(
                part=part, done=done, total=total, unit=unit, counts=counts, seconds=now - began
            )
        )

    return tick
