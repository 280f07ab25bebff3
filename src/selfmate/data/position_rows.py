"""Positions as rows of bytes, as they are sorted; a chunk holds the same in columns."""

import numpy as np
from numpy.typing import NDArray

from selfmate.data.chunk import COLUMNS, Chunk
from selfmate.search.dice import roll

_ROW = np.dtype([(name, kind, shape) for name, (kind, shape) in COLUMNS.items()])
ROW_BYTES = _ROW.itemsize

Rows = NDArray[np.uint8]  # [N, ROW_BYTES] NumPy moves bytes much faster than records


def rows_of(chunk: Chunk) -> Rows:
    records = np.empty(len(chunk), _ROW)
    for name, column in chunk.columns().items():
        records[name] = column
    return records.view(np.uint8).reshape(-1, ROW_BYTES)


def chunk_of(rows: Rows) -> Chunk:
    records = rows.view(_ROW)[:, 0]
    return Chunk(**{name: np.ascontiguousarray(records[name]) for name in COLUMNS})


def shuffle_keys(seed: int, rows: Rows) -> NDArray[np.uint64]:
    """[N] Sorted by these, positions stand in an order that depends on the seed alone."""
    records = rows.view(_ROW)[:, 0]
    return roll(seed, records["games"], records["plies_left"].astype(np.int64))
