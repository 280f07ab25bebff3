"""The curve from pawns to win, draw and loss: its formula, its fit, its counts."""

import math

import numpy as np
import pytest

from selfmate.data.dataset import COLUMNS, NO_EVALUATION, Chunk
from selfmate.data.wdl_curve import LIMIT, SHAPE, Counts, WdlCurve, count_results
from selfmate.encodings.records import encode_records
from selfmate.rules import Board

CURVE = WdlCurve(offset_full=1.5, offset_bare=3.5, slope_full=2.5, slope_bare=0.5)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def test_the_formula() -> None:
    found = CURVE.wdl(np.array([0, 60, -200], np.int16), np.array([32, 32, 16]))
    wins = [sigmoid(-1.5), 0.5, sigmoid(1.5 * -2 - 2.5)]
    losses = [sigmoid(-1.5), sigmoid(-3), sigmoid(1.5 * 2 - 2.5)]
    wanted = [[win, 1 - win - loss, loss] for win, loss in zip(wins, losses, strict=True)]
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_probabilities_rise_with_the_evaluation_and_sum_to_one() -> None:
    centipawns = np.arange(-10_000, 10_001, 10).astype(np.int16)
    for pieces in (2, 10, 32):
        wdl = CURVE.wdl(centipawns, np.full(len(centipawns), pieces))
        np.testing.assert_allclose(wdl.sum(1), 1, atol=1e-6)
        assert wdl.min() >= 0
        assert (np.diff(wdl[:, 0] - wdl[:, 2]) >= 0).all()
        np.testing.assert_allclose(wdl, wdl[::-1, ::-1], atol=1e-6)


def test_a_mate_is_certain_and_other_evaluations_never() -> None:
    wdl = CURVE.wdl(np.array([10_000, -10_000, 9_999], np.int16), np.array([3, 32, 3]))
    assert wdl[:2].tolist() == [[1, 0, 0], [0, 0, 1]]
    assert 0 < wdl[2, 1] < 1


def expected_counts(curve: WdlCurve, positions: int) -> Counts:
    """As many of each result as the curve expects, for evaluations around zero."""
    pieces, columns = np.meshgrid(np.arange(2, 33), np.arange(0, 2 * LIMIT + 1, 20), indexing="ij")
    wdl = curve.wdl((columns.ravel() - LIMIT).astype(np.int16), pieces.ravel()).astype(np.float64)
    counts = np.zeros(SHAPE, np.int64)
    counts[pieces.ravel(), columns.ravel()] = np.round(positions * wdl)
    return counts


def test_the_fit_finds_the_curve_that_made_the_results() -> None:
    counts = expected_counts(CURVE, 100_000)
    fitted = WdlCurve.fit(counts, counts)
    assert fitted is not None
    assert fitted.validation_loss is not None
    for name in ("offset_full", "offset_bare", "slope_full", "slope_bare"):
        assert getattr(fitted, name) == pytest.approx(getattr(CURVE, name), rel=0.01)
    assert fitted.positions == counts.sum()
    assert fitted.validation_loss <= CURVE.loss(counts) + 1e-9
    others = [fitted.model_copy(update={"slope_full": fitted.slope_full * f}) for f in (0.97, 1.03)]
    assert all(other.loss(counts) > fitted.validation_loss for other in others)


def test_few_positions_one_result_or_nonsense_fit_nothing() -> None:
    counts = expected_counts(CURVE, 100_000)
    assert WdlCurve.fit(np.zeros(SHAPE, np.int64)) is None
    few = np.zeros(SHAPE, np.int64)
    few[20, LIMIT] = 300
    assert WdlCurve.fit(few) is None
    assert WdlCurve.fit(counts * np.array([1, 0, 1])) is None
    assert WdlCurve.fit(counts[:, :, ::-1]) is None  # who stands better loses


def test_evaluations_that_are_always_right_fit_a_steep_curve() -> None:
    counts = np.zeros(SHAPE, np.int64)
    counts[20, LIMIT + 500, 0] = counts[20, LIMIT, 1] = counts[20, LIMIT - 500, 2] = 1000
    fitted = WdlCurve.fit(counts)
    assert fitted is not None
    assert fitted.wdl(np.array([500, 0, -500], np.int16), np.full(3, 20)).diagonal().min() > 0.99


def test_results_are_counted_for_the_side_to_move() -> None:
    boards = [Board(), Board(), Board("8/8/8/4k3/8/8/4P3/4K3 b - - 0 1"), Board(), Board()]
    boards[1].push("e2e4")
    evaluations = [30, -5000, 40, NO_EVALUATION, 10_000]
    columns = {name: np.zeros((5, *shape), kind) for name, (kind, shape) in COLUMNS.items()}
    columns |= {
        "stored": encode_records(boards),
        "results": np.array([1, 1, 0, 1, 1], np.int8),
        "evaluations": np.array(evaluations, np.int16),
    }
    counts = count_results([Chunk(**columns)])
    assert counts.sum() == 3  # neither the unknown nor the mate
    assert counts[32, LIMIT + 30, 0] == 1
    assert counts[32, 0, 2] == 1
    assert counts[3, LIMIT + 40, 1] == 1
