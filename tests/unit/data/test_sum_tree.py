"""The sum tree against running sums, and its samples against the given proportions."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import chisquare  # type: ignore[import-untyped]

from selfmate.data.priorities import SumTree

NEARLY_ONE = np.nextafter(1, 0)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=40).filter(any), st.data())
def test_rows_are_found_as_running_sums_find_them(values: list[int], data: st.DataObject) -> None:
    tree = SumTree(len(values))
    tree.set(np.arange(len(values)), np.array(values, np.float64))
    uniforms = np.array(data.draw(st.lists(st.floats(0, float(NEARLY_ONE)), min_size=1)))
    assert tree.total == sum(values)
    expected = np.searchsorted(np.cumsum(values), uniforms * sum(values), side="right")
    np.testing.assert_array_equal(tree.sample(uniforms), expected)


@pytest.mark.parametrize("capacity", [1, 2, 1000, 1024])
def test_the_total_is_exact_after_many_updates(capacity: int) -> None:
    rng = np.random.default_rng(1)
    tree, values = SumTree(capacity), np.zeros(capacity)
    for _ in range(300):
        rows = rng.choice(capacity, size=min(20, capacity), replace=False)
        values[rows] = rng.exponential(size=len(rows)) ** 9
        tree.set(rows, values[rows])
    fresh = SumTree(capacity)
    fresh.set(np.arange(capacity), values)
    assert tree.total == fresh.total == pytest.approx(values.sum(), rel=1e-12)
    np.testing.assert_array_equal(tree.values(np.arange(capacity)), values)
    tree.set(np.arange(capacity), np.zeros(capacity))
    assert tree.total == 0


def test_rows_are_sampled_in_proportion() -> None:
    rng = np.random.default_rng(2)
    values = rng.exponential(size=50)
    tree = SumTree(50)
    tree.set(np.arange(50), values)
    drawn = np.bincount(tree.sample(rng.random(100_000)), minlength=50)
    assert chisquare(drawn, 100_000 * values / values.sum()).pvalue > 0.01


@example([0.1, 0, 0, 0, 0.3, 0, 0.7, 0])  # rounded sums lead past the last value
@given(st.lists(st.sampled_from([0.0, 1e-200, 1e-9, 0.1, 3.0, 1e9]), min_size=1).filter(any))
def test_rows_of_value_zero_are_never_sampled(values: list[float]) -> None:
    tree = SumTree(len(values))
    tree.set(np.arange(len(values)), np.array(values))
    uniforms = np.append(np.linspace(0, 1, 500, endpoint=False), [NEARLY_ONE, 1e-300])
    assert np.all(np.array(values)[tree.sample(uniforms)] > 0)


def test_the_last_value_of_a_row_named_twice_holds() -> None:
    tree = SumTree(4)
    tree.set(np.array([2, 2, 1]), np.array([5.0, 3.0, 1.0]))
    assert tree.total == 4
