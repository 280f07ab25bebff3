"""Strength against training time: how each run's evaluations came out, by the seconds it had."""

import threading
import time
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

from selfmate.lab.runs_folder import RunsFolder
from selfmate.lab.train.curves import Curves
from selfmate.runs.growing import GrowingFiles
from selfmate.runs.writer import METRICS, TIMINGS

SECONDS_BETWEEN_LOOKS = 1.0
STEP, SCORE, PLIES = "step", "score_", "mean_plies_"


class Learning:
    """The topic `learning`, read once for all tabs and only what has come since the last look. Runs
    without evaluations against players are left out."""

    def __init__(self, runs: RunsFolder) -> None:
        self._runs = runs
        self._lock = threading.Lock()
        self._looked, self._version = -SECONDS_BETWEEN_LOOKS, 0
        self._histories: dict[tuple[str, str], _History] = {}  # by name and learner

    def version(self) -> Hashable:
        with self._lock:
            if time.monotonic() - self._looked >= SECONDS_BETWEEN_LOOKS:
                self._look()
                self._looked = time.monotonic()
            return self._version

    def data(self) -> list[dict[str, Any]]:
        """The newest run first."""
        newest_first = [row["name"] for row in self._runs.data()]
        with self._lock:
            rows = {
                name: {"name": name, "learner": learner, "scores": dict(history.scores())}
                for (name, learner), history in self._histories.items()
            }
        return [rows[name] for name in newest_first if name in rows and rows[name]["scores"]]

    def _look(self) -> None:
        known = self._histories
        self._histories = {
            (run.path.name, run.learner): known.get((run.path.name, run.learner))
            or _History(run.path)
            for run in self._runs.runs()
        }
        news = [history.read() for history in self._histories.values()]
        if any(news) or known.keys() != self._histories.keys():
            self._version += 1


class _History:
    """Of one run, however long it is."""

    def __init__(self, path: Path) -> None:
        self._files = GrowingFiles(path / METRICS, path / TIMINGS)
        self._curves = Curves()

    def read(self) -> bool:
        """Whether there was anything new. A long history comes in parts."""
        is_void, (metrics, timings) = self._files.more()
        if is_void:
            self._curves = Curves()
        for line in metrics:
            told = {key: line[key] for key in line if key.startswith((STEP, SCORE, PLIES))}
            self._curves.add_metrics(told, STEP)
        for line in timings:
            self._curves.add_timing(line)
        return is_void or bool(metrics or timings)

    def scores(self) -> Iterator[tuple[str, list[list[float]]]]:
        """Of each opponent: seconds of training so far, and the score against it. An evaluation
        tells of the games' length as well; other scores do not."""
        curves = self._curves.data()
        figures = curves["figures"]
        for name in figures:
            opponent = name.removeprefix(SCORE)
            if name.startswith(SCORE) and f"{PLIES}{opponent}" in figures:
                points = zip(curves["seconds"], figures[name], strict=True)
                told = [(round(at, 1), score) for at, score in points if score is not None]
                if told:
                    yield opponent, [list(column) for column in zip(*told, strict=True)]
