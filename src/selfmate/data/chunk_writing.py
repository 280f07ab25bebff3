"""The second half of an import: shuffled rows written as chunks, on all cores."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from pathlib import Path

from selfmate.data.chunk import chunk_bytes
from selfmate.data.chunks import SPLITS, ChunkEntry, Split
from selfmate.data.position_rows import Rows, chunk_of
from selfmate.data.shuffled_rows import RowRuns
from selfmate.rules.cores import available_cores
from selfmate.runs.files import replace_file

WAITING_CHUNKS = 2  # of each core


class ChunkWriting:
    """Writes what is missing: a chunk that is there is whole."""

    def __init__(self, folder: Path, runs: RowRuns, chunk_rows: int) -> None:
        self._folder, self._chunk_rows = folder, chunk_rows
        self._parts = {split: runs.shuffled(part) for part, split in enumerate(SPLITS)}
        self.chunks: dict[Split, list[ChunkEntry]] = {split: [] for split in SPLITS}

    @property
    def positions(self) -> dict[Split, int]:
        return {split: len(rows) for split, rows in self._parts.items()}

    def run(self) -> Iterator[int]:
        """After every chunk, how many rows it has."""
        cores = available_cores()
        waiting = deque[Future[tuple[Split, ChunkEntry]]]()
        with ThreadPoolExecutor(cores) as pool:
            for job in self._jobs():
                waiting.append(pool.submit(job))
                if len(waiting) > WAITING_CHUNKS * cores:
                    yield self._note(waiting.popleft())
            while waiting:
                yield self._note(waiting.popleft())

    def _note(self, written: "Future[tuple[Split, ChunkEntry]]") -> int:
        split, entry = written.result()
        self.chunks[split].append(entry)
        return entry.rows

    def _jobs(self) -> Iterator[Callable[[], tuple[Split, ChunkEntry]]]:
        for split, rows in self._parts.items():
            for number, begin in enumerate(range(0, len(rows), self._chunk_rows)):
                end = min(begin + self._chunk_rows, len(rows))
                path = self._folder / f"{split}-{number:05d}.h5"
                missing = None if path.exists() else rows.read(begin, end)
                yield partial(_entry, split, path, end - begin, missing)


def _entry(split: Split, path: Path, count: int, missing: Rows | None) -> tuple[Split, ChunkEntry]:
    """Makes the chunk of missing rows, and tells of it."""
    if missing is None:
        data = path.read_bytes()
    else:
        data = chunk_bytes(chunk_of(missing))
        replace_file(path, data)
    digest = sha256(data).hexdigest()
    return split, ChunkEntry(file=path.name, rows=count, bytes=len(data), sha256=digest)
