"""A run as others see it: read while it may be written, without a lock."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.runs.card import Best, Card
from selfmate.runs.checkpoint import read_card, read_weights
from selfmate.runs.checkpoints import Checkpoints
from selfmate.runs.errors import DamagedError, RunRefusedError
from selfmate.runs.files import read_plain
from selfmate.runs.header import read_header
from selfmate.runs.json_text import parse
from selfmate.runs.lines import last_line, read_lines
from selfmate.runs.lock import is_locked
from selfmate.runs.run import Arrays
from selfmate.runs.sample_game import MOST_SAMPLE_BYTES
from selfmate.runs.status import Status, read_status
from selfmate.runs.writer import BEST, METRICS, NOTES, SAMPLES, TIMINGS

MOST_BEST_BYTES = 2**12


@dataclass(frozen=True, kw_only=True)
class Found:
    """A checkpoint's weights, and why better ones were passed over."""

    card: Card
    weights: Arrays
    passed_over: tuple[str, ...]


class RunDirectory:
    """ValueError when the directory holds no run."""

    def __init__(self, path: Path) -> None:
        try:
            self.header = read_header(path)
        except DamagedError as error:
            raise RunRefusedError(f"{path} is not a run: {error}") from error
        self.path = path

    @property
    def learner(self) -> str:
        return self.header.learner

    @property
    def config(self) -> dict[str, Any]:
        return self.header.config

    def status(self) -> Status:
        """As written, but "killed" when nobody writes what says it is running."""
        # The lock is looked at first: whoever lets go of it has written the status before.
        locked = is_locked(self.path)
        status = read_status(self.path) or Status(state="running")
        return (
            replace(status, state="killed") if status.state == "running" and not locked else status
        )

    def metrics(self) -> Iterator[dict[str, Any]]:
        """A line a step, oldest first."""
        return (line for _, line in read_lines(self.path / METRICS))

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """The metrics as one array a figure, NaN where a step does not have it."""
        lines = list(self.metrics())
        names = dict.fromkeys(name for line in lines for name in line)
        return {
            name: np.array([_number(line.get(name)) for line in lines], dtype=np.float64)
            for name in names
        }

    def timings(self) -> Iterator[dict[str, Any]]:
        """Step, seconds it took, and when it ended."""
        return (line for _, line in read_lines(self.path / TIMINGS))

    def notes(self) -> Iterator[dict[str, Any]]:
        """Step, and a sentence that was said in it; `aloud` is false where it was only kept,
        `alarm` true where something should be done."""
        return (line for _, line in read_lines(self.path / NOTES))

    def samples(self) -> Iterator[dict[str, Any]]:
        """Step, and a game that was played in it, in texts: see `SampleGame`."""
        return (line for _, line in read_lines(self.path / SAMPLES))

    def newest_sample(self) -> dict[str, Any] | None:
        """The last of `samples`, without reading the others."""
        return last_line(self.path / SAMPLES, MOST_SAMPLE_BYTES)

    def best(self) -> Best | None:
        try:
            return Best.parse(parse(read_plain(self.path / BEST, MOST_BEST_BYTES), BEST))
        except ValueError:
            return None

    def checkpoints(self) -> dict[int, Card | DamagedError]:
        """Every checkpoint's card, or what is wrong with it."""
        cards: dict[int, Card | DamagedError] = {}
        checkpoints = Checkpoints(self.path)
        for step in checkpoints.steps():
            try:
                cards[step] = read_card(checkpoints.path(step))
            except DamagedError as error:
                cards[step] = error
        return cards

    def checkpoint(self, version: str | int = "last") -> Found:
        """ "last" and "best" fall back to the newest good one; a step number is that or nothing.
        ValueError when there is none."""
        steps = self._candidates(version)
        passed_over = []
        for step in steps:
            path = Checkpoints(self.path).path(step)
            try:
                card, weights = self._weights(path)
            except DamagedError as error:
                passed_over.append(f"{path} cannot be used: {error}")
            else:
                return Found(card=card, weights=weights, passed_over=tuple(passed_over))
        raise RunRefusedError("; ".join(passed_over) or f"{self.path} has no checkpoint yet")

    def _weights(self, path: Path) -> tuple[Card, Arrays]:
        card, weights = read_weights(path)
        if card.header.digest() != self.header.digest():
            raise DamagedError("it belongs to another run")
        return card, weights

    def _candidates(self, version: str | int) -> list[int]:
        newest_first = Checkpoints(self.path).steps()[::-1]
        best = self.best()
        if version == "last" or (version == "best" and best is None):
            return newest_first
        if version == "best" and best is not None:
            return [best.step, *(step for step in newest_first if step != best.step)]
        step = int(version) if str(version).isdecimal() else -1
        if step not in newest_first:
            there = ", ".join(map(str, newest_first[::-1])) or "none"
            raise RunRefusedError(
                f"{self.path} has no checkpoint {version!r}: last, best or one of {there}"
            )
        return [step]


def _number(value: Any) -> float:
    try:
        return float(value) if isinstance(value, int | float) else np.nan
    except OverflowError:
        return np.nan
