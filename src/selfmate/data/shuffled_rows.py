"""Rows shuffled on disk, however many there are.

To shuffle is to sort by random keys. Rows come in runs of what fits into memory, each written in
the order of slots, the leading bits of the keys. Sorted rows are then read bucket by bucket, some
slots at a time: a piece of every run, sorted in memory.
"""

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selfmate.data.position_rows import ROW_BYTES, Rows, shuffle_keys
from selfmate.runs.files import replace_file

SLOT_BITS = 12
SLOTS = 1 << SLOT_BITS
PARTS = 2  # training and validation
BUCKET_ROWS = 300_000
RUN_NAME = re.compile(r"run-[0-9]{6}")

# Of the game behind the last one of the run, and of how many rows each slot has.
_HEADER = np.dtype([("next_game", "int64"), ("counts", "int32", (PARTS, SLOTS))])
_NO_ROWS: Rows = np.empty((0, ROW_BYTES), np.uint8)


class RowRuns:
    """The runs in a folder, in the order of their coming."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._seed = folder, seed
        self._headers = list[NDArray[np.void]]()
        for path in sorted(folder.iterdir()):
            if RUN_NAME.fullmatch(path.name):
                self._headers.append(_read_header(path))

    @property
    def next_game(self) -> int:
        """All games before are in the runs."""
        return int(self._headers[-1]["next_game"]) if self._headers else 0

    def append(self, rows: Rows, parts: NDArray[np.uint8], next_game: int) -> None:
        """A run, which is there wholly or not at all; `parts` [N] are 0 or 1."""
        slots = shuffle_keys(self._seed, rows) >> np.uint64(64 - SLOT_BITS)
        slots = slots.astype(np.uint16) + parts * np.uint16(SLOTS)
        header = np.zeros(1, _HEADER)
        header["next_game"] = next_game
        header["counts"] = np.bincount(slots, minlength=PARTS * SLOTS).reshape(PARTS, SLOTS)
        order = np.argsort(slots, kind="stable")
        data = header.tobytes() + rows.take(order, axis=0).tobytes()
        replace_file(self._path(len(self._headers)), data)
        self._headers.append(header[0])

    def shuffled(self, part: int) -> "ShuffledRows":
        counts = [header["counts"] for header in self._headers]
        return ShuffledRows(
            [self._path(number) for number in range(len(counts))],
            np.array(counts, np.int32).reshape(-1, PARTS * SLOTS),
            slice(part * SLOTS, (part + 1) * SLOTS),
            self._seed,
        )

    def _path(self, number: int) -> Path:
        return self._folder / f"run-{number:06d}"


class ShuffledRows:
    """All rows of a part in the order of their keys."""

    def __init__(
        self, runs: list[Path], counts: NDArray[np.int32], slots: slice, seed: int
    ) -> None:
        """`counts` [R, S] are the rows of all slots in each run, `slots` those of this part."""
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
        """Quick when asked for in rising order."""
        parts = []
        while begin < end:
            bucket = int(np.searchsorted(self._places, begin, side="right")) - 1
            place = int(self._places[bucket])
            parts.append(self._bucket(bucket)[begin - place : end - place])
            begin = min(end, int(self._places[bucket + 1]))
        return np.concatenate(parts)

    def _bucket(self, number: int) -> Rows:
        if self._held[0] != number:
            self._held = (-1, _NO_ROWS)  # room for the next one
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
        raise ValueError(f"{path} is damaged: delete the folder, and import anew")
    header: NDArray[np.void] = headers[0]
    return header


def _read_rows(path: Path, begin: int, end: int) -> Rows:
    at = _HEADER.itemsize + ROW_BYTES * begin
    return np.fromfile(path, np.uint8, ROW_BYTES * (end - begin), offset=at).reshape(-1, ROW_BYTES)


def _buckets(totals: NDArray[np.int64], first_slot: int) -> list[tuple[int, int]]:
    """First and last slots of buckets, as few as their size allows."""
    buckets, begin, rows = list[tuple[int, int]](), 0, 0
    for slot, total in enumerate(totals.tolist()):
        if rows and rows + total > BUCKET_ROWS:
            buckets.append((first_slot + begin, first_slot + slot))
            begin, rows = slot, 0
        rows += total
    return [*buckets, (first_slot + begin, first_slot + len(totals))]
