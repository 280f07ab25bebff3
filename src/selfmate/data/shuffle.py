"""Shuffling more rows than fit into memory: an external sort by random keys.

Rows are written in runs that fit into memory. A run is ordered by slot, the leading bits of the
keys. The shuffled rows are read bucket by bucket: a range of slots is read from every run and
sorted by key in memory. A row is a position of a chunk as plain bytes.
"""

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selfmate.data.dataset import COLUMNS, Chunk
from selfmate.rules import derive_seeds
from selfmate.runs.files import replace_file

_ROW = np.dtype([(name, kind, shape) for name, (kind, shape) in COLUMNS.items()])
ROW_BYTES = _ROW.itemsize

Rows = NDArray[np.uint8]  # [N, ROW_BYTES]; NumPy moves bytes much faster than structs

SLOT_BITS = 12
SLOTS = 1 << SLOT_BITS
SPLIT_COUNT = 2  # the splits: 0 training, 1 validation
BUCKET_ROWS = 300_000
RUN_NAME = re.compile(r"run-[0-9]{6}")

# The number of the first game after the run, and the rows in each slot of each split.
_HEADER = np.dtype([("next_game", "int64"), ("counts", "int32", (SPLIT_COUNT, SLOTS))])
_NO_ROWS: Rows = np.empty((0, ROW_BYTES), np.uint8)


def rows_of(chunk: Chunk) -> Rows:
    """A chunk's columns as rows."""
    records = np.empty(len(chunk), _ROW)
    for name, column in chunk.columns().items():
        records[name] = column
    return records.view(np.uint8).reshape(-1, ROW_BYTES)


def chunk_of(rows: Rows) -> Chunk:
    """Rows as the columns of a chunk."""
    records = rows.view(_ROW)[:, 0]
    return Chunk(**{name: np.ascontiguousarray(records[name]) for name in COLUMNS})


def shuffle_keys(seed: int, rows: Rows) -> NDArray[np.uint64]:
    """[N] Random sort keys that depend on the seed, the game and the ply of each row alone."""
    records = rows.view(_ROW)[:, 0]
    return derive_seeds(seed, records["games"], records["plies_left"].astype(np.int64))


class RowRuns:
    """The runs in a folder, in the order they were written."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._seed = folder, seed
        self._headers = list[NDArray[np.void]]()
        for path in sorted(folder.iterdir()):
            if RUN_NAME.fullmatch(path.name):
                self._headers.append(_read_header(path))

    @property
    def next_game(self) -> int:
        """The number of the first game that is not in any run."""
        return int(self._headers[-1]["next_game"]) if self._headers else 0

    def append(self, rows: Rows, splits: NDArray[np.uint8], next_game: int) -> None:
        """Writes a run, completely or not at all. `splits` [N] holds the split of each row."""
        slots = shuffle_keys(self._seed, rows) >> np.uint64(64 - SLOT_BITS)
        slots = slots.astype(np.uint16) + splits * np.uint16(SLOTS)
        header = np.zeros(1, _HEADER)
        header["next_game"] = next_game
        header["counts"] = np.bincount(slots, minlength=SPLIT_COUNT * SLOTS).reshape(
            SPLIT_COUNT, SLOTS
        )
        order = np.argsort(slots, kind="stable")
        data = header.tobytes() + rows.take(order, axis=0).tobytes()
        replace_file(self._path(len(self._headers)), data)
        self._headers.append(header[0])

    def shuffled(self, split: int) -> "ShuffledRows":
        """The rows of a split in shuffled order."""
        counts = [header["counts"] for header in self._headers]
        return ShuffledRows(
            [self._path(number) for number in range(len(counts))],
            np.array(counts, np.int32).reshape(-1, SPLIT_COUNT * SLOTS),
            slice(split * SLOTS, (split + 1) * SLOTS),
            self._seed,
        )

    def _path(self, number: int) -> Path:
        return self._folder / f"run-{number:06d}"


class ShuffledRows:
    """All rows of a split in the order of their keys."""

    def __init__(
        self, runs: list[Path], counts: NDArray[np.int32], slots: slice, seed: int
    ) -> None:
        """`counts` [R, S] has the rows of each slot in each run; `slots` is the split's range."""
        self._runs, self._seed = runs, seed
        ends = counts.cumsum(1, dtype=np.int32)
        self._first = np.concatenate([np.zeros((len(runs), 1), np.int32), ends], axis=1)
        totals = counts[:, slots].sum(0, dtype=np.int64)
        self._buckets = _buckets(totals, slots.start)
        sizes = [totals[b - slots.start : e - slots.start].sum() for b, e in self._buckets]
        self._places = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._held: tuple[int, Rows] = (-1, _NO_ROWS)

    def __len__(self) -> int:
        return int(self._places[-1])

    def read(self, begin: int, end: int) -> Rows:
        """Rows begin to end; fast when ranges are read in ascending order."""
        parts = []
        while begin < end:
            bucket = int(np.searchsorted(self._places, begin, side="right")) - 1
            place = int(self._places[bucket])
            parts.append(self._bucket(bucket)[begin - place : end - place])
            begin = min(end, int(self._places[bucket + 1]))
        return np.concatenate(parts)

    def _bucket(self, number: int) -> Rows:
        if self._held[0] != number:
            self._held = (-1, _NO_ROWS)  # frees the memory before the next bucket is read
            first, last = self._buckets[number]
            rows = np.concatenate(
                [
                    _read_rows(path, int(ends[first]), int(ends[last]))
                    for path, ends in zip(self._runs, self._first, strict=True)
                ]
            )
            order = np.argsort(shuffle_keys(self._seed, rows), kind="stable")
            self._held = (number, rows.take(order, axis=0))
        return self._held[1]


def _read_header(path: Path) -> NDArray[np.void]:
    headers = np.fromfile(path, _HEADER, 1)
    rows = int(headers["counts"].sum())
    if not len(headers) or path.stat().st_size != _HEADER.itemsize + rows * ROW_BYTES:
        raise ValueError(f"{path} is damaged: delete the folder and import again")
    header: NDArray[np.void] = headers[0]
    return header


def _read_rows(path: Path, begin: int, end: int) -> Rows:
    at = _HEADER.itemsize + ROW_BYTES * begin
    return np.fromfile(path, np.uint8, ROW_BYTES * (end - begin), offset=at).reshape(-1, ROW_BYTES)


def _buckets(totals: NDArray[np.int64], first_slot: int) -> list[tuple[int, int]]:
    """Slot ranges (begin, end) of as few buckets as BUCKET_ROWS allows."""
    buckets, begin, rows = list[tuple[int, int]](), 0, 0
    for slot, total in enumerate(totals.tolist()):
        if rows and rows + total > BUCKET_ROWS:
            buckets.append((first_slot + begin, first_slot + slot))
            begin, rows = slot, 0
        rows += total
    return [*buckets, (first_slot + begin, first_slot + len(totals))]
