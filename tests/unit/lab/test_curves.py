"""Curves stay short, and true: each point is the mean of its steps."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfmate.lab.run_feed import MAX_METRICS, MAX_POINTS, Curves


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 3000), st.integers(1, 7))
def test_a_point_is_the_mean_of_its_steps(count: int, every: int) -> None:
    values = np.random.default_rng(count).normal(size=count)
    curves = Curves()
    for step, value in enumerate(values.tolist(), start=1):
        rare = {"rare": step} if step % every == 0 else {}
        curves.add_metrics({"step": step, "games": 5 * step, "loss": value, **rare}, "games")
        curves.add_timing({"step": step, "seconds": 0.25})
    data = curves.data()
    width = 1
    while count > MAX_POINTS * width:
        width *= 2
    ends = [*range(width, count, width), count]
    assert data["x"] == [5 * end for end in ends]
    assert data["seconds"] == pytest.approx([end / 4 for end in ends], abs=1e-3)
    starts = [0, *ends[:-1]]
    means = [values[start:end].mean() for start, end in zip(starts, ends, strict=True)]
    assert data["metrics"]["loss"] == pytest.approx(means, rel=1e-4)
    assert curves.newest["loss"] == values[-1]
    for value, start, end in zip(
        data["metrics"].get("rare", []), starts, ends, strict=count >= every
    ):
        inside = [step for step in range(start + 1, end + 1) if step % every == 0]
        assert value == (pytest.approx(np.mean(inside), rel=1e-4) if inside else None)


def test_what_is_no_figure_is_left_out() -> None:
    curves = Curves()
    for line in (
        {"step": 0, "games": 1, "loss": 1},
        {"step": True, "games": 1, "loss": 1},
        {"games": 1, "loss": 1},
        {"step": 1, "games": 10, "loss": float("inf"), "name": "x", "huge": 10**999, "good": 1},
    ):
        curves.add_metrics(line, "games")
    curves.add_metrics({"step": 10**15, "games": 20} | {f"f{i}": i for i in range(1000)}, "games")
    data = curves.data()
    assert data["x"] == [10, 20]
    assert data["metrics"]["good"] == [1, None]
    assert "loss" not in data["metrics"]
    assert len(data["metrics"]) == MAX_METRICS
    json.dumps(data, allow_nan=False)
