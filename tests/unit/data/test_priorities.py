"""Prioritized replay: probabilities, weights, and the priorities of new transitions."""

import numpy as np
import pytest
from scipy.stats import chisquare  # type: ignore[import-untyped]

from selfmate.data.priorities import Priority
from selfmate.data.replay import Sample, TransitionReplay
from unit.data.made_up import Inventor, episodes
from unit.data.replayed import MAIN, PRIORITY, every_row, keeping


def test_without_priorities_sampling_is_uniform() -> None:
    replay = TransitionReplay(keeping(100), fractions=MAIN, priority=None)
    replay.add("one", episodes(Inventor().shard([(30, "truncated"), (20, "mate")])))
    drawn = replay.sample(np.random.default_rng(4), 20_000)
    replay.update_priorities(drawn, np.ones(20_000, np.float32))
    assert np.all(drawn.weights == 1)
    _, counts = np.unique(drawn.rows, return_counts=True)
    assert len(counts) == 50
    assert chisquare(counts).pvalue > 0.01


def test_priorities_decide_probabilities_and_weights() -> None:
    replay = TransitionReplay(keeping(64), fractions=MAIN, priority=PRIORITY)
    replay.add("one", episodes(Inventor().shard([(30, "truncated"), (20, "mate")])))
    rows = every_row(replay)
    errors = np.linspace(-2, 1, len(rows)).astype(np.float32)
    replay.update_priorities(Sample(rows=rows, weights=np.ones(len(rows), np.float32)), errors)
    drawn = replay.sample(np.random.default_rng(5), 50_000)
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
    replay = TransitionReplay(
        keeping(64), fractions=MAIN, priority=Priority(alpha=1, beta=1, epsilon=1e-6)
    )
    replay.add("old", episodes(inventor.shard([(10, "mate")])))
    rows = every_row(replay)
    ones = np.ones(10, np.float32)
    replay.update_priorities(Sample(rows=rows, weights=ones), 9 * ones)
    replay.update_priorities(Sample(rows=rows, weights=ones), ones)
    replay.add("new", episodes(inventor.shard([(10, "mate")])))
    drawn = replay.sample(np.random.default_rng(6), 10_000)
    assert np.mean(~np.isin(drawn.rows, rows)) == pytest.approx(0.9, abs=0.01)


def test_errors_that_are_not_finite_are_refused() -> None:
    replay = TransitionReplay(keeping(10), fractions=MAIN, priority=PRIORITY)
    replay.add("one", episodes(Inventor().shard([(4, "mate")])))
    drawn = replay.sample(np.random.default_rng(1), 2)
    with pytest.raises(ValueError, match="not finite"):
        replay.update_priorities(drawn, np.array([1, np.nan], np.float32))
