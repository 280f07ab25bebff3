"""The list of runs, those that are being started among them. A topic: `runs`."""

import threading
import time
from collections.abc import Hashable
from typing import Any

from selfmate.lab.runs_folder import RunsFolder
from selfmate.lab.train.trainings import Trainings

SECONDS_BETWEEN_LOOKS = 0.5


class RunRows:
    """Looked up once for all tabs."""

    def __init__(self, runs: RunsFolder, trainings: Trainings) -> None:
        self._runs, self._trainings = runs, trainings
        self._lock = threading.Lock()
        self._looked = -SECONDS_BETWEEN_LOOKS
        self._version: Hashable = None
        self._seen: Hashable = None
        self._data: list[dict[str, Any]] = []

    def version(self) -> Hashable:
        with self._lock:
            if time.monotonic() - self._looked >= SECONDS_BETWEEN_LOOKS:
                self._looked = time.monotonic()
                self._version = (self._runs.version(), self._starts())
            return self._version

    def data(self) -> list[dict[str, Any]]:
        with self._lock:
            if self._seen != self._version or self._seen is None:
                self._seen, self._data = self._version, self._rows()
            return self._data

    def _starts(self) -> Hashable:
        return tuple((name, self._trainings.start_of(name)) for name in self._trainings.names())

    def _rows(self) -> list[dict[str, Any]]:
        """Starts first, then the newest."""
        there = [self._trainings.told(row) for row in self._runs.data()]
        return self._trainings.unborn()[::-1] + there
