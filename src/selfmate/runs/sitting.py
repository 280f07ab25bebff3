"""How long a run goes on until it is done or rests."""

import time
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, kw_only=True)
class Sitting:
    deadline: float  # of the monotonic clock, in seconds
    enough: float  # units of the run

    @classmethod
    def begin(cls, *, minutes: float, units: float) -> Self:
        return cls(deadline=time.monotonic() + 60 * minutes, enough=units)

    def is_over(self, done: int) -> bool:
        return done >= self.enough or time.monotonic() >= self.deadline

    def seconds_left(self, done: int, rate: float) -> float:
        """At so many units a second."""
        return max(0.0, min((self.enough - done) / rate, self.deadline - time.monotonic()))
