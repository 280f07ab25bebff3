"""How far a run has come and how fast it goes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

SECONDS_REMEMBERED = 30.0


@dataclass(frozen=True, kw_only=True)
class Progress:
    """After a step, for those who watch."""

    step: int
    done: int
    total: int
    unit: str
    figures: Mapping[str, float]
    rate: float  # units a second
    seconds_left: float  # until it is done or rests


class Pace:
    """Seconds a unit; what was long ago counts little."""

    def __init__(self) -> None:
        self._seconds = self._units = 0.0

    def add(self, units: int, seconds: float) -> None:
        kept = math.exp(-seconds / SECONDS_REMEMBERED)
        self._seconds = kept * self._seconds + seconds
        self._units = kept * self._units + units

    @property
    def rate(self) -> float:
        return self._units / max(self._seconds, 1e-9)
