"""The output folder of an import, and the writer of its chunks.

The folder is empty at first, then it holds an unfinished import, then a complete dataset.
"""

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from selfmate.data.dataset import (
    MANIFEST,
    SPLITS,
    ChunkEntry,
    ChunkFolder,
    GameCounts,
    Manifest,
    Origin,
    Split,
    chunk_bytes,
)
from selfmate.data.shuffle import RowRuns, Rows, chunk_of
from selfmate.rules import available_cores
from selfmate.runs import take
from selfmate.runs.files import DIRECTORY, beside_name, make_directory, replace_file

UNFINISHED = "unfinished"
DROPPED = "dropped.tsv"
ORIGIN = "origin.json"
COUNTS = "tally.json"
QUEUED_CHUNKS_PER_CORE = 2


class ImportFolder:
    """The folder, locked for its one writer.

    Raises ValueError if it holds anything else or another process is writing it.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.unfinished = path, path / UNFINISHED
        if path.exists() and not path.is_dir():
            raise ValueError(f"{path} is a file, not a folder for chunks")
        path.mkdir(parents=True, exist_ok=True)
        self._descriptor = _open_to_lock(path)
        try:
            if not take(self._descriptor):
                raise ValueError(f"{path} is being written by another process")
            self._check_is_ours()
        except BaseException:
            os.close(self._descriptor)
            raise

    def close(self) -> None:
        os.close(self._descriptor)

    def begin(self, origin: Origin) -> Manifest | None:
        """Starts or resumes an import, or returns the manifest if it is finished already.

        Raises ValueError if the folder was begun with another origin.
        """
        if (self.path / MANIFEST).exists():
            manifest = ChunkFolder(self.path).manifest
            _check_same(self.path, manifest, origin)
            self._clean_up()
            return manifest
        make_directory(self.unfinished)
        known = self.unfinished / ORIGIN
        if known.exists():
            _check_same(self.path, _read(known), origin)
        else:
            replace_file(known, origin.model_dump_json(indent=1).encode())
        return None

    def counts(self) -> GameCounts | None:
        """The counts of all games, or None while they are still being read."""
        path = self.unfinished / COUNTS
        return GameCounts.model_validate_json(path.read_bytes()) if path.exists() else None

    def end_reading(self, counts: GameCounts, dropped_table: str) -> None:
        """Marks the reading stage as complete."""
        replace_file(self.path / DROPPED, dropped_table.encode())
        replace_file(self.unfinished / COUNTS, counts.model_dump_json(indent=1).encode())

    def finish(self, manifest: Manifest) -> None:
        """Marks the import as complete."""
        replace_file(self.path / MANIFEST, manifest.model_dump_json(indent=1).encode())
        self._clean_up()

    def discard(self) -> None:
        """Removes an import that cannot be finished."""
        (self.path / DROPPED).unlink(missing_ok=True)
        self._clean_up()
        if not any(self.path.iterdir()):
            self.path.rmdir()

    def _clean_up(self) -> None:
        # Renamed first: a kill within rmtree could leave a folder without its origin, which later
        # imports would take for somebody else's.
        if self.unfinished.exists():
            gone = beside_name(self.unfinished)
            self.unfinished.rename(gone)
            shutil.rmtree(gone)

    def _check_is_ours(self) -> None:
        gone = beside_name(self.unfinished)
        foreign = _names(self.path) - {self.unfinished.name, gone.name}
        foreign |= _names(self.unfinished) - {beside_name(Path(ORIGIN)).name}
        begun = (self.path / MANIFEST).exists() or (self.unfinished / ORIGIN).exists()
        if foreign and not begun:
            raise ValueError(
                f"{self.path} holds something else, such as {min(foreign)}: choose a folder "
                "that is empty or does not exist"
            )
        shutil.rmtree(gone, ignore_errors=True)


def _open_to_lock(folder: Path) -> int:
    """The folder, or a file beside it where folders cannot be opened."""
    if DIRECTORY is not None:
        return os.open(folder, os.O_RDONLY | DIRECTORY)
    return os.open(folder.with_name(f"{folder.name}.lock"), os.O_RDWR | os.O_CREAT)


def _names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()


def _read(path: Path) -> Origin:
    try:
        return Origin.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise ValueError(f"{path} is damaged: {error.errors()[0]['msg']}") from error


def _check_same(path: Path, made: Origin, asked: Origin) -> None:
    for key in sorted({*made.settings, *asked.settings}):
        old, new = made.settings.get(key), asked.settings.get(key)
        if old != new:
            raise ValueError(
                f"{path} was made with {key} {old}, not {new}: use the same settings or choose "
                "another folder"
            )
    if made.inputs != asked.inputs or made.stored_version != asked.stored_version:
        names = ", ".join(file.name for file in made.inputs)
        raise ValueError(
            f"{path} was made from other files ({names}), or they have changed since: choose "
            "another folder"
        )


class ChunkWriter:
    """Writes shuffled rows as chunks, on all cores.

    Chunk files are written completely or not at all, so those that exist are not written again.
    """

    def __init__(self, folder: Path, runs: RowRuns, chunk_rows: int) -> None:
        self._folder, self._chunk_rows = folder, chunk_rows
        self._rows = {split: runs.shuffled(number) for number, split in enumerate(SPLITS)}
        self.chunks: dict[Split, list[ChunkEntry]] = {split: [] for split in SPLITS}

    @property
    def positions(self) -> dict[Split, int]:
        """Rows of each split."""
        return {split: len(rows) for split, rows in self._rows.items()}

    def run(self) -> Iterator[int]:
        """Writes the chunks; yields the number of rows of each."""
        cores = available_cores()
        pending = deque[Future[tuple[Split, ChunkEntry]]]()
        with ThreadPoolExecutor(cores) as pool:
            for job in self._jobs():
                pending.append(pool.submit(job))
                if len(pending) > QUEUED_CHUNKS_PER_CORE * cores:
                    yield self._add_entry(pending.popleft())
            while pending:
                yield self._add_entry(pending.popleft())

    def _add_entry(self, written: "Future[tuple[Split, ChunkEntry]]") -> int:
        split, entry = written.result()
        self.chunks[split].append(entry)
        return entry.rows

    def _jobs(self) -> Iterator[Callable[[], tuple[Split, ChunkEntry]]]:
        for split, rows in self._rows.items():
            for number, begin in enumerate(range(0, len(rows), self._chunk_rows)):
                end = min(begin + self._chunk_rows, len(rows))
                path = self._folder / f"{split}-{number:05d}.h5"
                missing = None if path.exists() else rows.read(begin, end)
                yield partial(_entry, split, path, end - begin, missing)


def _entry(split: Split, path: Path, count: int, missing: Rows | None) -> tuple[Split, ChunkEntry]:
    """The manifest entry of a chunk, which is written first if its rows are given."""
    if missing is None:
        data = path.read_bytes()
    else:
        data = chunk_bytes(chunk_of(missing))
        replace_file(path, data)
    digest = sha256(data).hexdigest()
    return split, ChunkEntry(file=path.name, rows=count, bytes=len(data), sha256=digest)
