"""Strength against training time: how each run's evaluations came out, by the seconds it had."""

import math
from collections.abc import Hashable
from typing import Any

from selfmate.lab.runs_folder import RunsFolder
from selfmate.runs.directory import RunDirectory
from selfmate.runs.writer import METRICS

SCORE = "score_"
MOST_POINTS = 200


class Learning:
    """The topic `learning`. Runs without evaluations against players are left out."""

    def __init__(self, runs: RunsFolder) -> None:
        self._runs = runs

    def version(self) -> Hashable:
        return tuple(
            (path.parent.name, path.stat().st_size)
            for path in sorted(self._runs.path.glob(f"*/{METRICS}"))
        )

    def data(self) -> list[dict[str, Any]]:
        """The newest run first."""
        rows = [learning_of(self._runs.run(row["name"])) for row in self._runs.data()]
        return [row for row in rows if row["scores"]]


def learning_of(run: RunDirectory) -> dict[str, Any]:
    """Of each opponent: seconds of training so far, and the score against it."""
    seconds = _seconds_by_step(run)
    scores: dict[str, list[tuple[float, float]]] = {}
    for line in run.metrics():
        at = seconds.get(line.get("step", 0))
        if at is None:  # the clock's line was lost
            continue
        for opponent in _opponents(line):
            scores.setdefault(opponent, []).append((round(at, 1), line[f"{SCORE}{opponent}"]))
    return {
        "name": run.path.name,
        "learner": run.learner,
        "scores": {
            opponent: [list(column) for column in zip(*_thinned(points), strict=True)]
            for opponent, points in scores.items()
        },
    }


def _seconds_by_step(run: RunDirectory) -> dict[int, float]:
    """Steps that were done again took their time twice."""
    total, found = 0.0, {}
    for line in run.timings():
        total += float(line.get("seconds", 0))
        found[int(line.get("step", 0))] = total
    return found


def _opponents(line: dict[str, Any]) -> list[str]:
    """Those of an evaluation, which tells of the games' length as well; other scores do not."""
    names = [figure.removeprefix(SCORE) for figure in line if figure.startswith(SCORE)]
    return [
        name
        for name in names
        if f"mean_plies_{name}" in line and isinstance(line[f"{SCORE}{name}"], int | float)
    ]


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    every = math.ceil(len(points) / MOST_POINTS)
    return points[::-1][::every][::-1]
