"""One run as a tab follows it: how far, how fast, its curves, what it said. A topic: `run:NAME`."""

import threading
import time
from collections import deque
from collections.abc import Hashable, Mapping
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

from selfmate.lab.players import player_kind
from selfmate.lab.runs_folder import changed_ns, describe
from selfmate.lab.train.curves import Curves, figures_of
from selfmate.lab.train.trainings import Trainings
from selfmate.runs.checkpoints import Checkpoints
from selfmate.runs.directory import RunDirectory
from selfmate.runs.growing import GrowingFiles
from selfmate.runs.lock import is_locked
from selfmate.runs.status import STATUS
from selfmate.runs.writer import BEST, METRICS, NOTES, TIMINGS

SECONDS_BETWEEN_LOOKS = 1.0
MOST_PARTS = 2  # of a long history that are read at a look: nobody waits for all of it
MOST_NOTES, MOST_STEPS = 30, 8  # that are shown
VERSIONS = count(1)  # of all feeds: a feed that is made again is another one


class RunFeed:
    """Read once for all tabs, and only what has come since the last look."""

    def __init__(self, path: Path, trainings: Trainings) -> None:
        self._path, self._trainings = path, trainings
        self._files = GrowingFiles(path / METRICS, path / TIMINGS, path / NOTES)
        self._behind = False
        self._lock = threading.Lock()
        self._stamps: Hashable = None
        self._looked, self._start = -SECONDS_BETWEEN_LOOKS, ""
        self._version, self._data = 0, dict[str, Any]()
        self._forget()

    def version(self) -> Hashable:
        with self._lock:
            self._look()
            return self._version

    def data(self) -> dict[str, Any]:
        with self._lock:
            return self._data

    def _forget(self) -> None:
        self._curves = Curves()
        self._said = deque[dict[str, Any]](maxlen=MOST_NOTES)
        self._steps = deque[dict[str, Any]](maxlen=MOST_STEPS)

    def _look(self) -> None:
        """Once a second, and at once when a training was started or did not start."""
        now, start = time.monotonic(), self._trainings.start_of(self._path.name)
        if start.state == self._start and now - self._looked < SECONDS_BETWEEN_LOOKS:
            return
        self._looked, self._start = now, start.state
        stamps = (start, self._changes())
        if self._behind or stamps != self._stamps:
            self._data = self._described()
            self._stamps = stamps
            self._version = next(VERSIONS)

    def _changes(self) -> Hashable:
        names = (STATUS, METRICS, TIMINGS, NOTES, BEST)
        return is_locked(self._path), *(changed_ns(self._path / name) for name in names)

    def _described(self) -> dict[str, Any]:
        try:
            run = RunDirectory(self._path)
        except ValueError:
            return self._trainings.described(self._path.name)
        row = self._trainings.told(describe(run))
        self._behind = not self._read(row["unit"])
        best = run.best()
        return row | {
            "config": run.config,
            "plays": player_kind(self._path),
            "newest": self._curves.newest,
            "steps": list(self._steps),
            "curves": self._curves.data(),
            "notes": list(self._said)[::-1],
            "best": None if best is None else asdict(best),
            "checkpoints": Checkpoints(self._path).steps(),
        }

    def _read(self, unit: str) -> bool:
        """Whether that was all there is."""
        for _ in range(MOST_PARTS):
            is_void, (metrics, timings, notes) = self._files.more()
            if is_void:
                self._forget()
            if not (metrics or timings or notes):
                return True
            for line in metrics:
                self._curves.add_metrics(line, unit)
            for line in timings:
                self._curves.add_timing(line)
            self._steps.extend(_step(line, unit) for line in metrics[-MOST_STEPS:])
            self._said.extend(map(_note, notes[-MOST_NOTES:]))
        return False


def _step(line: Mapping[str, Any], unit: str) -> dict[str, Any]:
    done = dict(figures_of(line, "")).get(unit, 0)
    return {"done": done, "figures": dict(figures_of(line, unit))}


def _note(line: Mapping[str, Any]) -> dict[str, Any]:
    """Whoever wrote it."""
    step = line.get("step")
    return {
        "step": step if type(step) is int and abs(step) < 2**53 else 0,
        "text": str(line.get("note", ""))[:2000],
        "alarm": line.get("alarm") is True,
    }
