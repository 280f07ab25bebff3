"""The figures of a run as curves of bounded length, however long it goes on."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MOST_POINTS = 300
MOST_FIGURES = 200  # a stranger's file may have any number
DIGITS = 5


@dataclass
class Point:
    """Some neighbouring steps."""

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
    """Means of as many steps a point as it takes. Lines of metrics and of timings come by
    themselves, each with its step."""

    def __init__(self) -> None:
        self.newest: dict[str, float] = {}  # of each figure
        self._points: list[Point] = []
        self._steps = 1  # of a point

    def add_metrics(self, line: Mapping[str, Any], unit: str) -> None:
        point = self._point(line.get("step"))
        if point is None:
            return
        point.done = number_of(line.get(unit))
        for name, value in figures_of(line, unit):
            if name in self.newest or len(self.newest) < MOST_FIGURES:
                self.newest[name] = value
                point.add(name, value, 1)

    def add_timing(self, line: Mapping[str, Any]) -> None:
        point, seconds = self._point(line.get("step")), number_of(line.get("seconds"))
        if point is not None and seconds is not None:
            point.seconds += seconds

    def data(self) -> dict[str, Any]:
        """`x` in units done and `seconds` since the first step; each figure has a value, or none,
        for each of them."""
        points, seconds, passed = [], [], 0.0
        for point in self._points:
            passed += point.seconds
            if point.done is not None:
                points.append(point)
                seconds.append(round(passed, 3))
        return {
            "x": [point.done for point in points],
            "seconds": seconds,
            "figures": {
                name: [_short(point.mean(name)) for point in points] for name in self.newest
            },
        }

    def _point(self, step: Any) -> Point | None:
        if type(step) is not int or step < 1:
            return None
        while (step - 1) // self._steps >= MOST_POINTS:
            self._halve()
        number = (step - 1) // self._steps
        self._points += [Point() for _ in range(number + 1 - len(self._points))]
        return self._points[number]

    def _halve(self) -> None:
        self._steps *= 2
        for left, right in zip(self._points[::2], self._points[1::2], strict=False):
            left.merge(right)
        self._points = self._points[::2]


def figures_of(line: Mapping[str, Any], unit: str) -> Iterator[tuple[str, float]]:
    """What a line of metrics says besides how far the run was."""
    for name, value in line.items():
        number = number_of(value)
        if name not in ("step", unit) and number is not None:
            yield name, number


def number_of(value: Any) -> float | None:
    """Only what JSON can carry on."""
    if type(value) not in (int, float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
