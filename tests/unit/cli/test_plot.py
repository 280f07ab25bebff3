"""Small plots: true to their points and within bounds, at any size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from selfmate.cli.console import (
    DOTS,
    EMPTY_BRAILLE,
    MAX_POINTS,
    Curve,
    draw_curve,
    duration,
    plot_panels,
    short_number,
)

POINTS = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=300)


def levels_of(lines: list[str]) -> list[set[int]]:
    """The dots of each column, counted from the bottom: reads the drawing back."""
    columns: list[set[int]] = [set() for _ in range(2 * len(lines[0]))]
    for row, line in enumerate(lines):
        for place, letter in enumerate(line):
            for side in (0, 1):
                for dot in range(4):
                    if (ord(letter) - EMPTY_BRAILLE) & DOTS[side][dot]:
                        columns[2 * place + side].add(4 * len(lines) - 1 - (4 * row + dot))
    return columns


@given(POINTS, st.integers(1, 60), st.integers(1, 8))
def test_every_column_has_a_joined_line(points: list[float], width: int, height: int) -> None:
    lines = draw_curve(points, width, height)
    assert [len(line) for line in lines] == [width] * height
    columns = levels_of(lines)
    for dots in columns:
        assert dots == set(range(min(dots), max(dots) + 1))


def test_a_straight_line_is_straight() -> None:
    columns = levels_of(draw_curve(list(range(16)), 8, 4))
    assert columns == [{level} for level in range(16)]
    falling = levels_of(draw_curve([1.0, 0.0], 8, 4))
    assert falling == [{level} for level in reversed(range(16))]


def test_a_long_series_is_averaged() -> None:
    alternating = [float(number % 2) for number in range(400)]
    assert levels_of(draw_curve([*alternating, 0.0, 1.0], 4, 1))[0] <= {1, 2}


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5 * MAX_POINTS))
def test_a_curve_stays_short_and_keeps_its_ends(values: list[float]) -> None:
    curve = Curve()
    for value in values:
        curve.add(value)
    assert 0 < len(curve.points) < MAX_POINTS
    assert (curve.last, curve.min, curve.max) == (values[-1], min(values), max(values))
    assert min(values) - 1e-6 <= min(curve.points) <= max(curve.points) <= max(values) + 1e-6


@pytest.mark.parametrize("width", [10, 24, 40, 80, 200])
@pytest.mark.parametrize("height", [6, 12, 40])
def test_panels_stay_within_width_and_height(width: int, height: int) -> None:
    curves = {name: Curve() for name in ("reward", "moves", "mate_percent")}
    for curve in curves.values():
        for value in range(50):
            curve.add(value / 7)
    console = Console(width=width, height=height)
    with console.capture() as capture:
        console.print(plot_panels(curves, width, height))
    lines = capture.get().splitlines()
    assert len(lines) <= height
    assert all(len(line) <= width for line in lines)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (9.96, "10.0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (125, "2 min 5 s"),
        (12_000, "3 h 20 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_durations_read_well(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (1 / 3, "0.3333"), (99.97, "99.97"), (-1e6, "-1,000,000"), (1e-7, "1e-07")],
)
def test_numbers_read_well(value: float, text: str) -> None:
    assert short_number(value) == text
