"""Sparse products against dense ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import selfmate._core as core
from core.sparse_matrices import normal, sparse_and_dense

SIZES = st.tuples(st.integers(0, 200), st.integers(1, 70), st.integers(1, 100))


@settings(max_examples=60, deadline=None)
@given(size=SIZES, seed=st.integers(0, 10**6), threads=st.integers(1, 3))
def test_products_are_those_of_dense_matrices(
    size: tuple[int, int, int], seed: int, threads: int
) -> None:
    rows, columns, width = size
    sparse, dense = sparse_and_dense(rows, columns, seed)
    parts = (sparse.columns, sparse.values, sparse.offsets)
    left, right = normal(seed, rows, width), normal(seed + 1, columns, width)
    times = core.sparse_times(*parts, right, threads)
    np.testing.assert_allclose(times, dense @ right, rtol=1e-4, atol=1e-4)
    back = core.sparse_transposed_times(*parts, left, columns, threads)
    np.testing.assert_allclose(back, dense.T @ left, rtol=1e-4, atol=1e-4)
    products = core.products_at(sparse.columns, sparse.offsets, left, right, threads)
    at = (np.repeat(np.arange(rows), np.diff(sparse.offsets)), sparse.columns)
    np.testing.assert_allclose(products, (left @ right.T)[at], rtol=1e-4, atol=1e-4)


def test_threads_change_nothing() -> None:
    sparse, _ = sparse_and_dense(500, 300, seed=1)
    parts = (sparse.columns, sparse.values, sparse.offsets)
    left, right = normal(2, 500, 128), normal(3, 300, 128)
    alone, together = (
        (
            core.sparse_times(*parts, right, threads),
            core.sparse_transposed_times(*parts, left, 300, threads),
            core.products_at(sparse.columns, sparse.offsets, left, right, threads),
        )
        for threads in (1, 5)
    )
    for one, several in zip(alone, together, strict=True):
        assert one.tobytes() == several.tobytes()


@pytest.mark.parametrize(
    ("columns", "offsets", "reason"),
    [
        ([0, 3], [0, 2], "column 3 is not in 0..2"),
        ([-1], [0, 1], "column -1 is not in 0..2"),
        ([0, 1], [0, 1], "offsets must run from 0 to the number of columns, 2"),
        ([0, 1], [1, 2], "offsets must run from 0"),
        ([0, 1], [0, 3, 2], "offsets must not fall"),
        ([], [], "offsets must hold at least one number"),
    ],
)
def test_wrong_rows_are_refused(columns: list[int], offsets: list[int], reason: str) -> None:
    values = np.ones(len(columns), np.float32)
    parts = (np.array(columns, np.int32), values, np.array(offsets, np.int64))
    with pytest.raises(ValueError, match=reason):
        core.sparse_times(*parts, np.zeros((3, 4), np.float32))


def test_matrices_of_other_shapes_are_refused() -> None:
    columns, offsets = np.zeros(1, np.int32), np.array([0, 1])
    values, flat = np.ones(1, np.float32), np.zeros(3, np.float32)
    with pytest.raises(ValueError, match="matrix must be an array of two dimensions"):
        core.sparse_times(columns, values, offsets, flat)
    with pytest.raises(ValueError, match=r"values must be .* float32 array of shape \(1,\)"):
        core.sparse_times(columns, values[:0], offsets, np.zeros((1, 1), np.float32))
    with pytest.raises(ValueError, match=r"matrix must be .* float32"):
        core.sparse_transposed_times(columns, values, offsets, np.zeros((2, 1), np.float32), 3)
    with pytest.raises(ValueError, match=r"left must be .* float32"):
        core.products_at(
            columns, offsets, np.zeros((1, 3), np.float32), np.zeros((1, 2), np.float32)
        )
