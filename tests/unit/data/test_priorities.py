"""Prioritized replay: chances, weights, and what new experiences begin with."""

import numpy as np
import pytest
from scipy.stats import chisquare  # type: ignore[import-untyped]

from selfmate.data.priorities import Priority
from selfmate.data.replay import Drawn, Replay
from unit.data.made_up import Inventor, episodes
from unit.data.replayed import MAIN, PRIORITY, every_row


def test_without_priorities_all_are_alike() -> None:
    replay = Replay(100, shares=MAIN, priority=None)
    replay.add("one", episodes(Inventor().page([(30, "cut"), (20, "mate")])))
    drawn = replay.draw(np.random.default_rng(4), 20_000)
    replay.correct(drawn, np.ones(20_000, np.float32))
    assert np.all(drawn.weights == 1)
    _, counts = np.unique(drawn.rows, return_counts=True)
    assert len(counts) == 50
    assert chisquare(counts).pvalue > 0.01


def test_priorities_decide_chances_and_weights() -> None:
    replay = Replay(64, shares=MAIN, priority=PRIORITY)
    replay.add("one", episodes(Inventor().page([(30, "cut"), (20, "mate")])))
    rows = every_row(replay)
    errors = np.linspace(-2, 1, len(rows)).astype(np.float32)
    replay.correct(Drawn(rows=rows, weights=np.ones(len(rows), np.float32)), errors)
    drawn = replay.draw(np.random.default_rng(5), 50_000)
    probs = (np.abs(errors.astype(np.float64)) + 0.01) ** 0.6
    probs /= probs.sum()
    found, counts = np.unique(drawn.rows, return_counts=True)
    np.testing.assert_array_equal(found, rows)
    assert chisquare(counts, 50_000 * probs).pvalue > 0.01
    weights = (len(rows) * probs) ** -0.4
    expected = (weights / weights.max())[np.searchsorted(rows, drawn.rows)]
    np.testing.assert_allclose(drawn.weights, expected, rtol=1e-5)


def test_new_rows_have_the_largest_priority_so_far() -> None:
    inventor = Inventor()
    replay = Replay(64, shares=MAIN, priority=Priority(alpha=1, beta=1, epsilon=1e-6))
    replay.add("old", episodes(inventor.page([(10, "mate")])))
    rows = every_row(replay)
    ones = np.ones(10, np.float32)
    replay.correct(Drawn(rows=rows, weights=ones), 9 * ones)
    replay.correct(Drawn(rows=rows, weights=ones), ones)
    replay.add("new", episodes(inventor.page([(10, "mate")])))
    drawn = replay.draw(np.random.default_rng(6), 10_000)
    assert np.mean(~np.isin(drawn.rows, rows)) == pytest.approx(0.9, abs=0.01)


def test_errors_that_are_no_numbers_are_refused() -> None:
    replay = Replay(10, shares=MAIN, priority=PRIORITY)
    replay.add("one", episodes(Inventor().page([(4, "mate")])))
    drawn = replay.draw(np.random.default_rng(1), 2)
    with pytest.raises(ValueError, match="not finite"):
        replay.correct(drawn, np.array([1, np.nan], np.float32))
