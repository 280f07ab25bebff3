"""The clock of a game: two times, of which one runs."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from selfmate.lab.play.line import Side

Seconds = Annotated[float, Field(ge=0, le=24 * 3600)]
Reading = tuple[float, float]  # seconds left, White's and Black's


class ClockSetting(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    minutes: Annotated[float, Field(gt=0, le=180)]
    increment_seconds: Annotated[float, Field(ge=0, le=180)] = 0
    left_seconds: tuple[Seconds, Seconds] | None = None  # of a game that goes on

    @property
    def pgn(self) -> str:
        """As PGN's TimeControl has it."""
        return f"{self.minutes * 60:g}+{self.increment_seconds:g}"


class GameClock:
    """It keeps time and judges nothing; `now` counts seconds. What it showed after each move is
    remembered, so that moves can be taken back."""

    def __init__(self, setting: ClockSetting, now: Callable[[], float]) -> None:
        self.setting = setting
        self._now = now
        full = setting.minutes * 60
        white, black = setting.left_seconds or (full, full)
        self._left: dict[Side, float] = {"white": white, "black": black}
        self._running: Side | None = None
        self._since = now()
        self._readings = [self.reading()]

    @property
    def running(self) -> Side | None:
        return self._running

    def left(self, side: Side) -> float:
        """Seconds, never below zero."""
        spent = self._now() - self._since if side == self._running else 0.0
        return max(0.0, self._left[side] - spent)

    def reading(self) -> Reading:
        return self.left("white"), self.left("black")

    def fallen(self) -> Side | None:
        """Who runs out of time."""
        running = self._running
        return running if running is not None and self.left(running) == 0 else None

    def start(self, side: Side) -> None:
        self.stop()
        self._running, self._since = side, self._now()

    def stop(self) -> None:
        self._left["white"], self._left["black"] = self.reading()
        self._running = None

    def press(self) -> None:
        """A move was made: the time stops, and grows by the increment."""
        side = self._running
        self.stop()
        if side is not None:
            self._left[side] += self.setting.increment_seconds
        self._readings.append(self.reading())

    def turn_back(self, length: int) -> None:
        """As it was after so many moves."""
        self._running = None
        del self._readings[length + 1 :]
        self._left["white"], self._left["black"] = self._readings[-1]

    def data(self) -> dict[str, Any]:
        white, black = self.reading()
        return {
            "left_seconds": {"white": white, "black": black},
            "running": self._running,
            "minutes": self.setting.minutes,
            "increment_seconds": self.setting.increment_seconds,
        }
