"""The newest game that a run has shown, move by move. A topic: `sample:NAME`."""

import threading
import time
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from selfmate.lab.runs_folder import changed_ns
from selfmate.lab.train.sample_replay import replayed
from selfmate.runs.directory import RunDirectory
from selfmate.runs.writer import SAMPLES

SECONDS_BETWEEN_LOOKS = 1.0


class SampleFeed:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._looked, self._version = -SECONDS_BETWEEN_LOOKS, 0
        self._shown = -1
        self._data: dict[str, Any] | None = None

    def version(self) -> Hashable:
        with self._lock:
            if time.monotonic() - self._looked >= SECONDS_BETWEEN_LOOKS:
                self._looked = time.monotonic()
                self._version = changed_ns(self._path / SAMPLES)
            return self._version

    def data(self) -> dict[str, Any] | None:
        with self._lock:
            if self._shown != self._version:
                self._shown, self._data = self._version, self._newest()
            return self._data

    def _newest(self) -> dict[str, Any] | None:
        try:
            line = RunDirectory(self._path).newest_sample()
        except ValueError:
            return None
        return None if line is None else replayed(line)
