"""Positions of games in columns, a row each, as HDF5 files keep them."""

import io
import zlib
from dataclasses import dataclass, fields
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from selfmate.encodings.stored import STORED_BYTES, Stored

# How a column stands in a file: type and shape of a row.
COLUMNS: dict[str, tuple[str, tuple[int, ...]]] = {
    "stored": ("uint8", (STORED_BYTES,)),
    "moves": ("uint16", ()),
    "results": ("int8", ()),
    "plies_left": ("uint16", ()),
    "endings": ("uint8", ()),
    "white_elo": ("uint16", ()),
    "black_elo": ("uint16", ()),
    "games": ("int64", ()),
}


@dataclass(frozen=True, kw_only=True)
class Chunk:
    """Row i of every column tells of the same position."""

    stored: Stored  # [N, 63] see selfmate.encodings.stored
    moves: NDArray[np.uint16]  # [N] played there
    results: NDArray[np.int8]  # [N] of the game, White's view: 1, 0, -1
    plies_left: NDArray[np.uint16]  # [N] to the end of the game, this move included
    endings: NDArray[np.uint8]  # [N] an index into selfmate.data.endings.ENDINGS
    white_elo: NDArray[np.uint16]  # [N] 0 where not known
    black_elo: NDArray[np.uint16]  # [N]
    games: NDArray[np.int64]  # [N] number of the game among those kept

    def __len__(self) -> int:
        return len(self.stored)

    def columns(self) -> dict[str, NDArray[Any]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def take(self, rows: NDArray[np.int64] | slice) -> "Chunk":
        """Some rows, in this order."""
        return Chunk(**{name: column[rows] for name, column in self.columns().items()})


def joined(chunks: "list[Chunk]") -> Chunk:
    """All rows, one chunk behind the other."""
    if len(chunks) == 1:
        return chunks[0]
    parts = [chunk.columns() for chunk in chunks]
    return Chunk(**{name: np.concatenate([part[name] for part in parts]) for name in COLUMNS})


def chunk_bytes(chunk: Chunk) -> bytes:
    """The chunk, which has some rows, as an HDF5 file: the same rows are the same bytes."""
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
    """As HDF5's filters for shuffling and gzip would write it, but by a strategy of gzip that packs
    stored positions better in less time, and without keeping other threads waiting."""
    bytes_together = np.ascontiguousarray(column.reshape(-1, 1).view(np.uint8).T)
    packer = zlib.compressobj(strategy=zlib.Z_RLE)
    return packer.compress(bytes_together.data) + packer.flush()


def parse_chunk(data: bytes, name: str, rows: int) -> Chunk:
    """What `chunk_bytes` returned once. ValueError in a sentence when it is anything else, or has
    another number of rows."""
    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            return Chunk(**{name: _column(file, name, rows) for name in COLUMNS})
    except (OSError, KeyError, RuntimeError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{name} is no chunk of positions: {error}") from error


def _column(file: h5py.File, name: str, rows: int) -> NDArray[Any]:
    """A stranger's file may claim any size, or lead to other files."""
    kind, shape = COLUMNS[name]
    if not isinstance(file.get(name, getlink=True), h5py.HardLink):
        raise ValueError(f"the column {name} is not in it")
    column = file[name]
    if column.external or column.is_virtual:
        raise ValueError(f"the column {name} is in another file")
    if column.dtype != kind or column.shape != (rows, *shape):
        raise ValueError(f"the column {name} is {column.dtype} of {column.shape}")
    return np.asarray(column[:])
