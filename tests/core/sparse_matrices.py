"""Random matrices, sparse and dense."""

import numpy as np
from numpy.typing import NDArray

from selfmate.rules import SparseRows

Dense = NDArray[np.float32]


def sparse_and_dense(rows: int, columns: int, seed: int) -> tuple[SparseRows, Dense]:
    """A random matrix both ways; some rows are empty, and a column may come twice in a row."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 6, rows)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    where = rng.integers(0, columns, offsets[-1]).astype(np.int32)
    values = rng.standard_normal(offsets[-1]).astype(np.float32)
    dense = np.zeros((rows, columns), np.float32)
    np.add.at(dense, (np.repeat(np.arange(rows), counts), where), values)
    return SparseRows(where, values, offsets), dense


def normal(seed: int, *shape: int) -> Dense:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
