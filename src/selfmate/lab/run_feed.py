"""Runs as tabs follow them: the topic `run:NAME` with curves and notes, and the list `runs`."""

import math
import threading
import time
from collections import deque
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NotRequired

from typing_extensions import TypedDict

from selfmate.lab.runs_folder import RunRow, RunsFolder, changed_ns, describe, player_kind
from selfmate.lab.trainings import SettingValue, Trainings
from selfmate.learners.learner import Metric, metrics_of
from selfmate.learners.registry import LEARNERS
from selfmate.runs import BEST, STATUS, Best, Checkpoints, RunDirectory, is_locked
from selfmate.runs.metrics import METRICS, NOTES, TIMINGS, GrowingFiles

MAX_POINTS = 300
MAX_METRICS = 200  # a file that something else wrote may have any number
DIGITS = 5
SECONDS_BETWEEN_LOOKS = 1.0
SECONDS_BETWEEN_LISTINGS = 0.5
MAX_PARTS = 2  # of a long history that are read at a look, so that no tab waits for all of it
MAX_NOTES, MAX_STEPS = 30, 8  # that are shown
VERSIONS = count(1)  # of all feeds: a feed that is made again has other versions

# ---- curves


class CurvesData(TypedDict):
    """One value of each metric, or None, for each point. `x` is in units done, `seconds` since the
    first step."""

    x: list[float]
    seconds: list[float]
    metrics: dict[str, list[float | None]]


@dataclass
class Point:
    """Some consecutive steps."""

    done: float | None = None  # units, after the last of them
    seconds: float = 0.0
    sums: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, total: float, count: int) -> None:
        self.sums[name] = self.sums.get(name, 0.0) + total
        self.counts[name] = self.counts.get(name, 0) + count

    def merge(self, later: "Point") -> None:
        self.done = self.done if later.done is None else later.done
        self.seconds += later.seconds
        for name, total in later.sums.items():
            self.add(name, total, later.counts[name])

    def mean(self, name: str) -> float | None:
        return self.sums[name] / self.counts[name] if name in self.sums else None


class Curves:
    """A run's metrics as curves of bounded length: as the run grows, a point is the mean of more
    steps. Lines of metrics and of timings are added independently, each with its step."""

    def __init__(self) -> None:
        self.newest: dict[str, float] = {}  # value of each metric
        self._points: list[Point] = []
        self._steps_per_point = 1

    def add_metrics(self, line: Mapping[str, Any], unit: str) -> None:
        point = self._point(line.get("step"))
        if point is None:
            return
        point.done = number_of(line.get(unit))
        for name, value in metrics_in(line, unit):
            if name in self.newest or len(self.newest) < MAX_METRICS:
                self.newest[name] = value
                point.add(name, value, 1)

    def add_timing(self, line: Mapping[str, Any]) -> None:
        point, seconds = self._point(line.get("step")), number_of(line.get("seconds"))
        if point is not None and seconds is not None:
            point.seconds += seconds

    def data(self) -> CurvesData:
        points: list[Point] = []
        done: list[float] = []
        seconds: list[float] = []
        passed = 0.0
        for point in self._points:
            passed += point.seconds
            if point.done is not None:
                points.append(point)
                done.append(point.done)
                seconds.append(round(passed, 3))
        return {
            "x": done,
            "seconds": seconds,
            "metrics": {
                name: [_rounded(point.mean(name)) for point in points] for name in self.newest
            },
        }

    def _point(self, step: Any) -> Point | None:
        if type(step) is not int or step < 1:
            return None
        while (step - 1) // self._steps_per_point >= MAX_POINTS:
            self._halve()
        number = (step - 1) // self._steps_per_point
        self._points += [Point() for _ in range(number + 1 - len(self._points))]
        return self._points[number]

    def _halve(self) -> None:
        self._steps_per_point *= 2
        for left, right in zip(self._points[::2], self._points[1::2], strict=False):
            left.merge(right)
        self._points = self._points[::2]


def metrics_in(line: Mapping[str, Any], unit: str) -> Iterator[tuple[str, float]]:
    """The numbers of a line, apart from those that say how far the run was."""
    for name, value in line.items():
        number = number_of(value)
        if name not in ("step", unit) and number is not None:
            yield name, number


def number_of(value: Any) -> float | None:
    """None for anything but a finite number, which is all that JSON can carry."""
    if type(value) not in (int, float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


# ---- one run


class StepData(TypedDict):
    done: float
    metrics: dict[str, float]


class NoteData(TypedDict):
    step: int
    text: str
    alarm: bool


class RunData(RunRow):
    """The topic `run:NAME`. A run that has not begun has only the fields of its row."""

    config: NotRequired[dict[str, SettingValue]]
    plays: NotRequired[str | None]  # the kind of its player
    metrics: NotRequired[tuple[Metric, ...]]  # what was recorded so far means
    newest: NotRequired[dict[str, float]]
    steps: NotRequired[list[StepData]]
    curves: NotRequired[CurvesData]
    notes: NotRequired[list[NoteData]]  # the newest first
    best: NotRequired[Best | None]
    checkpoints: NotRequired[list[int]]


class RunFeed:
    """Read once for all tabs, and only what is new since the last look."""

    def __init__(self, path: Path, trainings: Trainings) -> None:
        self._path, self._trainings = path, trainings
        self._files = GrowingFiles(path / METRICS, path / TIMINGS, path / NOTES)
        self._is_behind = False
        self._lock = threading.Lock()
        self._stamps: Hashable = None
        self._looked, self._start = -SECONDS_BETWEEN_LOOKS, ""
        self._version = 0
        self._data: RunData | RunRow | None = None
        self._reset()

    def version(self) -> Hashable:
        with self._lock:
            self._look()
            return self._version

    def data(self) -> RunData | RunRow | None:
        with self._lock:
            return self._data

    def _reset(self) -> None:
        self._curves = Curves()
        self._notes = deque[NoteData](maxlen=MAX_NOTES)
        self._steps = deque[StepData](maxlen=MAX_STEPS)

    def _look(self) -> None:
        """Once a second, and at once when a training was started or its start failed."""
        now, start = time.monotonic(), self._trainings.start_of(self._path.name)
        if start.state == self._start and now - self._looked < SECONDS_BETWEEN_LOOKS:
            return
        self._looked, self._start = now, start.state
        stamps = (start, self._changes())
        if self._is_behind or stamps != self._stamps:
            self._data = self._describe()
            self._stamps = stamps
            self._version = next(VERSIONS)

    def _changes(self) -> Hashable:
        names = (STATUS, METRICS, TIMINGS, NOTES, BEST)
        return is_locked(self._path), *(changed_ns(self._path / name) for name in names)

    def _describe(self) -> RunData | RunRow:
        try:
            run = RunDirectory(self._path)
        except ValueError:
            return self._trainings.starting_row(self._path.name)
        row = self._trainings.with_start(describe(run))
        self._is_behind = not self._read(row.get("unit", ""))
        declared = LEARNERS[run.learner].metrics if run.learner in LEARNERS else ()
        return {
            **row,
            "config": run.config,
            "plays": player_kind(self._path),
            "metrics": metrics_of(declared, tuple(self._curves.newest)),
            "newest": self._curves.newest,
            "steps": list(self._steps),
            "curves": self._curves.data(),
            "notes": [*self._damage(), *list(self._notes)[::-1]],
            "best": run.best(),
            "checkpoints": Checkpoints(self._path).steps(),
        }

    def _damage(self) -> list[NoteData]:
        return [{"step": 0, "text": text, "alarm": True} for text in self._files.damage()]

    def _read(self, unit: str) -> bool:
        """Whether the files were read to their ends."""
        for _ in range(MAX_PARTS):
            is_void, (metrics, timings, notes) = self._files.more()
            if is_void:
                self._reset()
            if not (metrics or timings or notes):
                return True
            for line in metrics:
                self._curves.add_metrics(line, unit)
            for line in timings:
                self._curves.add_timing(line)
            self._steps.extend(_step(line, unit) for line in metrics[-MAX_STEPS:])
            self._notes.extend(map(_note, notes[-MAX_NOTES:]))
        return False


def _step(line: Mapping[str, Any], unit: str) -> StepData:
    return {"done": number_of(line.get(unit)) or 0, "metrics": dict(metrics_in(line, unit))}


def _note(line: Mapping[str, Any]) -> NoteData:
    """Safe for any JSON: the file may have been written by something else."""
    step = line.get("step")
    return {
        "step": step if type(step) is int and abs(step) < 2**53 else 0,
        "text": str(line.get("note", ""))[:2000],
        "alarm": line.get("alarm") is True,
    }


# ---- all runs


class RunList:
    """The topic `runs`: those that are being started first, then the newest. Read once for all
    tabs."""

    def __init__(self, runs: RunsFolder, trainings: Trainings) -> None:
        self._runs, self._trainings = runs, trainings
        self._lock = threading.Lock()
        self._looked = -SECONDS_BETWEEN_LISTINGS
        self._version: Hashable = None
        self._listed: Hashable = None
        self._data: list[RunRow] = []

    def version(self) -> Hashable:
        with self._lock:
            if time.monotonic() - self._looked >= SECONDS_BETWEEN_LISTINGS:
                self._looked = time.monotonic()
                self._version = (self._runs.version(), self._starts())
            return self._version

    def data(self) -> list[RunRow]:
        with self._lock:
            if self._listed != self._version or self._listed is None:
                self._listed, self._data = self._version, self._rows()
            return self._data

    def _starts(self) -> Hashable:
        return tuple((name, self._trainings.start_of(name)) for name in self._trainings.names())

    def _rows(self) -> list[RunRow]:
        existing = [self._trainings.with_start(row) for row in self._runs.data()]
        return self._trainings.starting_rows()[::-1] + existing
