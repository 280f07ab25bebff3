"""Datasets of positions: a folder of chunks with a manifest, read as a stream of batches.

`selfmate import` writes such a folder. Its games are split into training and validation; its rows
are shuffled across games.
"""

import io
import threading
import zlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from queue import Queue
from typing import Any, Literal, TypeVar

import h5py
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from selfmate.data.wdl_curve import DEFAULT_CURVE, WdlCurve
from selfmate.encodings.records import RECORD_BYTES, VERSION, PositionRecords

NO_EVALUATION = -32768  # as GameRecords.evaluations has it
MAX_EVALUATION = 10_000  # centipawns; mates and higher evaluations count as this
NO_MOVE = 0

# Type and row shape of each column in a file.
COLUMNS: dict[str, tuple[str, tuple[int, ...]]] = {
    "stored": ("uint8", (RECORD_BYTES,)),
    "moves": ("uint16", ()),
    "results": ("int8", ()),
    "plies_left": ("uint16", ()),
    "endings": ("uint8", ()),
    "white_elo": ("uint16", ()),
    "black_elo": ("uint16", ()),
    "games": ("int64", ()),
    "evaluations": ("int16", ()),
    "best_moves": ("uint16", ()),
}
# Columns that chunks of format 1 do not have, and what stands for them.
ADDED_COLUMNS = {"evaluations": NO_EVALUATION, "best_moves": NO_MOVE}


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """N positions; row i of every column belongs to the same position."""

    stored: PositionRecords  # [N, 63] position records, see selfmate.encodings.records
    moves: NDArray[np.uint16]  # [N] the move played
    results: NDArray[np.int8]  # [N] result of the game, White's view: 1, 0, -1
    plies_left: NDArray[np.uint16]  # [N] to the end of the game, this move included
    endings: NDArray[np.uint8]  # [N] an index into selfmate.data.game_filter.ENDINGS
    white_elo: NDArray[np.uint16]  # [N] 0 where unknown
    black_elo: NDArray[np.uint16]  # [N]
    games: NDArray[np.int64]  # [N] number of the game among those kept
    evaluations: NDArray[np.int16]  # [N] centipawns, side to move; NO_EVALUATION if unknown
    best_moves: NDArray[np.uint16]  # [N] by an analysis of the game; NO_MOVE if unknown

    @property
    def is_evaluated(self) -> NDArray[np.bool_]:
        """[N] Whether there is an evaluation."""
        known: NDArray[np.bool_] = self.evaluations != NO_EVALUATION
        return known

    @property
    def target_moves(self) -> NDArray[np.uint16]:
        """[N] The best moves where they are known, elsewhere those that were played."""
        return np.where(self.best_moves == NO_MOVE, self.moves, self.best_moves)

    def __len__(self) -> int:
        return len(self.stored)

    def columns(self) -> dict[str, NDArray[Any]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def take(self, rows: NDArray[np.int64] | slice) -> "Chunk":
        """The given rows, in this order."""
        return Chunk(**{name: column[rows] for name, column in self.columns().items()})


def concatenate_chunks(chunks: Sequence[Chunk]) -> Chunk:
    """All rows in one chunk; copies nothing if there is only one."""
    if len(chunks) == 1:
        return chunks[0]
    parts = [chunk.columns() for chunk in chunks]
    return Chunk(**{name: np.concatenate([part[name] for part in parts]) for name in COLUMNS})


def chunk_bytes(chunk: Chunk) -> bytes:
    """A chunk of one or more rows as an HDF5 file. Equal chunks give equal bytes."""
    image = io.BytesIO()
    with h5py.File(image, "w", libver="v110") as file:
        for name, column in chunk.columns().items():
            dataset = file.create_dataset(
                name,
                column.shape,
                column.dtype,
                chunks=column.shape,
                shuffle=True,
                compression="gzip",
                track_times=False,
            )
            dataset.id.write_direct_chunk((0,) * column.ndim, _filtered(column))
    return image.getvalue()


def _filtered(column: NDArray[Any]) -> bytes:
    """A column as HDF5's shuffle and gzip filters would write it.

    Done here because the RLE strategy of zlib packs position records smaller and faster than the
    default that HDF5 uses, and because zlib releases the GIL.
    """
    bytes_together = np.ascontiguousarray(column.reshape(-1, 1).view(np.uint8).T)
    packer = zlib.compressobj(strategy=zlib.Z_RLE)
    return packer.compress(bytes_together.data) + packer.flush()


def parse_chunk(data: bytes, name: str, rows: int) -> Chunk:
    """The chunk that `chunk_bytes` wrote. `name` is for error messages.

    Raises ValueError if the data is anything else or does not have this number of rows.
    """
    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            added = {} if ADDED_COLUMNS.keys() & file.keys() else _absent_columns(rows)
            kept = [column for column in COLUMNS if column not in added]
            return Chunk(**{column: _column(file, column, rows) for column in kept}, **added)
    except (OSError, KeyError, RuntimeError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{name} is not a chunk of positions: {error}") from error


def _absent_columns(rows: int) -> dict[str, NDArray[Any]]:
    return {name: np.full(rows, value, COLUMNS[name][0]) for name, value in ADDED_COLUMNS.items()}


def _column(file: h5py.File, name: str, rows: int) -> NDArray[Any]:
    """Checked before it is read: an untrusted file may claim any size or refer to other files."""
    kind, shape = COLUMNS[name]
    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        raise ValueError(f"the column {name} is missing")
    column = file[name]
    if column.external or column.is_virtual:
        raise ValueError(f"the column {name} is in another file")
    if column.dtype != kind or column.shape != (rows, *shape):
        raise ValueError(f"the column {name} is {column.dtype} of {column.shape}")
    return np.asarray(column[:])


MANIFEST = "manifest.json"
MAX_CHUNK_ROWS = 1 << 20
MAX_MANIFEST_BYTES = 1 << 28

Split = Literal["training", "validation"]
SPLITS: tuple[Split, ...] = ("training", "validation")

T = TypeVar("T")


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class InputFile(_Entry):
    name: str
    bytes: int
    sha256: str


class Origin(_Entry):
    """Inputs and settings of an import; equal origins give equal chunks."""

    stored_version: int = VERSION
    inputs: list[InputFile]
    settings: dict[str, int | float | bool | str]


class GameCounts(_Entry):
    """Numbers of games, and of positions that comments say something about."""

    read: int
    kept: dict[Split, int]
    dropped: dict[str, int]  # by reason
    endings: dict[str, int]  # of the games kept, by kind of ending
    results: dict[str, int]  # of the games kept, by result as in PGN
    evaluations: dict[Split, int] = {}  # positions with an evaluation
    best_moves: dict[Split, int] = {}  # positions with a best move


class ChunkEntry(_Entry):
    file: str = Field(pattern=r"^[a-z]+-[0-9]{5,}\.h5$")
    rows: int = Field(ge=1, le=MAX_CHUNK_ROWS)
    bytes: int
    sha256: str


class Manifest(Origin):
    """What manifest.json says about a folder of chunks."""

    format: Literal[1, 2] = 2  # 1: without evaluations and best moves
    games: GameCounts
    positions: dict[Split, int]
    chunks: dict[Split, list[ChunkEntry]]
    wdl_curve: WdlCurve | None = None  # of these games; None if they have too few evaluations


class DamagedChunkError(ValueError):
    """A chunk is not the one the manifest lists."""


def read_chunk(folder: Path, entry: ChunkEntry) -> Chunk:
    """Raises DamagedChunkError if the file is not the one of the entry."""
    path = folder / entry.file
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DamagedChunkError(f"cannot read the chunk {path}: {error.strerror}") from error
    if sha256(data).hexdigest() != entry.sha256:
        raise DamagedChunkError(f"{path} is damaged: its SHA-256 is not that of the manifest")
    return parse_chunk(data, str(path), entry.rows)


class ChunkFolder:
    """A complete folder of chunks. Raises ValueError if the path is anything else."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = _manifest_bytes(path)
        try:
            self.manifest = Manifest.model_validate_json(text)
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            raise ValueError(f"{path / MANIFEST} is not a manifest of chunks: {reason}") from error
        if self.manifest.stored_version != VERSION:
            raise ValueError(
                f"{path} holds positions of version {self.manifest.stored_version}, this Selfmate "
                f"reads version {VERSION}: import the games again"
            )
        self.digest = sha256(text).hexdigest()[:16]

    @property
    def counts(self) -> dict[Split, int]:
        """Positions in each split."""
        return {split: sum(self.chunk_sizes(split)) for split in SPLITS}

    @property
    def wdl_curve(self) -> WdlCurve:
        return self.manifest.wdl_curve or DEFAULT_CURVE

    def chunk_sizes(self, split: Split) -> list[int]:
        """Rows of each chunk."""
        return [entry.rows for entry in self._entries(split)]

    def read(self, split: Split, number: int) -> Chunk:
        """A chunk, checked against the manifest."""
        return read_chunk(self.path, self._entries(split)[number])

    def _entries(self, split: Split) -> list[ChunkEntry]:
        return self.manifest.chunks.get(split, [])


def open_chunks(path: Path, *splits: Split) -> ChunkFolder:
    """A folder of chunks with positions in these splits; raises ValueError if one is empty."""
    folder = ChunkFolder(path)
    for split in splits:
        if not folder.counts[split]:
            raise ValueError(
                f"{path} has no positions for {split}: import more games, or with another "
                "--validation"
            )
    return folder


def _manifest_bytes(path: Path) -> bytes:
    if not path.exists():
        raise ValueError(f"there is no folder {path}")
    if not (path / MANIFEST).is_file():
        raise ValueError(
            f"{path} is not a folder of chunks, or the import is not finished: it has no {MANIFEST}"
        )
    with (path / MANIFEST).open("rb") as file:
        return file.read(MAX_MANIFEST_BYTES)


class ChunkStream:
    """The positions of a split as an endless sequence of epochs, each in its own random order.

    An epoch visits all chunks in random order and shuffles the rows within each. The order depends
    on the seed alone, so a stream can be resumed at any place.
    """

    def __init__(self, folder: ChunkFolder, split: Split, *, seed: int) -> None:
        self._folder, self._split, self._seed = folder, split, seed
        self._sizes = np.array(folder.chunk_sizes(split), np.int64)
        self.count = int(self._sizes.sum())  # positions in an epoch
        if not self.count:
            raise ValueError(f"{folder.path} has no {split} positions")

    def batches(self, start: int, stop: int, size: int) -> Iterator[Chunk]:
        """Rows start to stop of the sequence, `size` at a time; the last batch may be smaller."""
        return self.take(start, [min(size, stop - at) for at in range(start, stop, size)])

    def take(self, start: int, counts: Sequence[int]) -> Iterator[Chunk]:
        """The rows from `start` on, in chunks of so many rows, each at least one."""
        parts = self._parts(start, start + sum(counts))
        part, at = None, 0
        for count in counts:
            held, missing = list[Chunk](), count
            while missing:
                if part is None or at == len(part):
                    part, at = next(parts), 0
                held.append(part.take(slice(at, at + missing)))
                at, missing = at + len(held[-1]), missing - len(held[-1])
            yield concatenate_chunks(held)

    def _parts(self, start: int, stop: int) -> Iterator[Chunk]:
        """Rows start to stop of the sequence, cut at the bounds of chunks."""
        while start < stop:
            epoch, place = divmod(start, self.count)
            order = self._order(epoch)
            ends = np.cumsum(self._sizes[order])
            turn = int(np.searchsorted(ends, place, side="right"))
            begin = int(ends[turn] - self._sizes[order[turn]])
            last = min(int(ends[turn]), place + stop - start)
            yield self._shuffled(epoch, int(order[turn])).take(slice(place - begin, last - begin))
            start += last - place

    def _order(self, epoch: int) -> NDArray[np.int64]:
        return np.random.default_rng([self._seed, epoch]).permutation(len(self._sizes))

    def _shuffled(self, epoch: int, number: int) -> Chunk:
        chunk = self._folder.read(self._split, number)
        rng = np.random.default_rng([self._seed, epoch, number])
        return chunk.take(rng.permutation(len(chunk)))


class _End:
    """Marks the end of the items, with the error that ended them if there was one."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def prefetched(items: Iterator[T], depth: int) -> Generator[T, None, None]:
    """The same items, with up to `depth` of them computed ahead on a thread.

    The thread ends after the last item, at the first error, which is raised here, or when the
    caller closes the iterator.
    """
    ready: Queue[T | _End] = Queue(depth)
    closed = threading.Event()
    thread = threading.Thread(target=_fill, args=(items, ready, closed), daemon=True)
    thread.start()
    try:
        while not isinstance(item := ready.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        closed.set()
        while thread.is_alive():
            _drain(ready)
            thread.join(0.01)


def _fill(items: Iterator[T], ready: "Queue[T | _End]", closed: threading.Event) -> None:
    end = _End()
    try:
        for item in items:
            if closed.is_set():
                return
            ready.put(item)
    except BaseException as error:
        end = _End(error)
    ready.put(end)


def _drain(ready: "Queue[T | _End]") -> None:
    """Empties the queue, so that a thread waiting to put an item can go on and end."""
    while not ready.empty():
        ready.get_nowait()
