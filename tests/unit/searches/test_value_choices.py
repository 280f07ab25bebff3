"""Choosing by values against a slow and obvious way, row by row."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from selfmate.rules import Ragged
from selfmate.searches.sampling import best_actions, chosen_actions, drawn_actions

NUMBERS = st.floats(-2, 2, width=32) | st.sampled_from([0.0, -0.0, 0.5])
ROWS = st.lists(st.lists(NUMBERS, min_size=1, max_size=30), min_size=1, max_size=12)
SEEDS = st.integers(0, 2**64 - 1)
TEMPERATURES = st.sampled_from([1e-320, 1e-3, 0.1, 1.0, 10.0])


def flat(rows: list[list[float]]) -> tuple[NDArray[np.float32], Ragged]:
    """The values, and distinct actions: place 0 of row 1 is action 100."""
    actions = [100 * i + j for i, row in enumerate(rows) for j in range(len(row))]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    values = np.array([value for row in rows for value in row], np.float32)
    return values, Ragged(np.array(actions, np.int32), offsets)


def slowly_drawn(row: list[float], temperature: float, seed: int) -> int:
    weights = [
        math.exp(max(-1e9, (value - max(row)) / temperature)) if value < max(row) else 1.0
        for value in row
    ]
    left = (seed >> 11) / 2**53 * sum(weights)
    for place, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return place
    return len(row) - 1


@settings(max_examples=200, deadline=None)
@given(rows=ROWS, seed=SEEDS)
def test_the_best_are_of_the_highest_value(rows: list[list[float]], seed: int) -> None:
    values, legal = flat(rows)
    chosen = best_actions(values, legal, np.full(len(rows), seed, np.uint64))
    for i, row in enumerate(rows):
        assert row[chosen[i] - 100 * i] == max(row)


def test_only_exact_ties_are_open() -> None:
    values, legal = flat([[0.0, -1.0, -0.0, np.nextafter(np.float32(0), np.float32(-1))]])
    found = {int(best_actions(values, legal, np.array([n], np.uint64))[0]) for n in range(50)}
    assert found == {0, 2}


@settings(max_examples=200, deadline=None)
@given(rows=ROWS, temperature=TEMPERATURES, seed=st.integers(0, 10**6))
def test_draws_are_those_of_the_slow_way_however_grouped(
    rows: list[list[float]], temperature: float, seed: int
) -> None:
    values, legal = flat(rows)
    seeds = np.random.default_rng(seed).integers(0, 2**64, len(rows), np.uint64)
    together = drawn_actions(values, legal, temperature, seeds)
    for i, (begin, end) in enumerate(pairwise(legal.offsets)):
        own = Ragged(legal.values[begin:end], np.array([0, end - begin]))
        alone = drawn_actions(values[begin:end], own, temperature, seeds[i : i + 1])
        exact = [float(value) for value in values[begin:end]]
        assert alone[0] == together[i] == 100 * i + slowly_drawn(exact, temperature, int(seeds[i]))


@pytest.mark.parametrize("seed", [0, 2**64 - 1])
def test_extreme_seeds_draw_within_the_row(seed: int) -> None:
    values, legal = flat([[0.3] * count for count in range(1, 60)])
    chosen = drawn_actions(values, legal, 0.7, np.full(59, seed, np.uint64))
    places = chosen - 100 * np.arange(59)
    assert places.tolist() == [count if seed else 0 for count in range(59)]


def test_moves_come_as_often_as_softmax_says() -> None:
    row = [0.0, 0.1, -0.2, 0.25]
    values, legal = flat([row] * 20_000)
    seeds = np.random.default_rng(3).integers(0, 2**64, 20_000, np.uint64)
    places = drawn_actions(values, legal, 0.2, seeds) % 100
    shares = np.exp(np.array(row) / 0.2)
    expected = 20_000 * shares / shares.sum()
    counts = np.bincount(places, minlength=4)
    assert (np.square(counts - expected) / expected).sum() < 16.3  # 3 degrees of freedom, 0.1 %


def test_temperature_0_is_the_best() -> None:
    values, legal = flat([[0.1, 0.3, 0.2]])
    found = {
        int(chosen_actions(values, legal, 0.0, np.array([n << 59], np.uint64))[0])
        for n in range(32)
    }
    assert found == {1}
