"""Arrays on disk as safetensors, and the store of shards that checkpoints share."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from hashlib import file_digest
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from selfmate.runs.card import FileNote
from selfmate.runs.files import make_directory, open_plain, remove, replace_file
from selfmate.runs.run import Arrays, CorruptError, check_finite

SHARDS = "pages"  # the folder's name on disk, from before shards were called so
SHARD_FILE = re.compile(r"([0-9a-f]{64})\.safetensors(?:\.tmp)?")


def pack(arrays: Arrays) -> bytes:
    """The arrays as safetensors; ValueError if a number is not finite."""
    check_finite(arrays)
    # safetensors looks at memory, not at strides.
    return save({name: np.asarray(array, order="C") for name, array in arrays.items()})


def unpack(path: Path, note: FileNote) -> dict[str, NDArray[Any]]:
    """The arrays of a safetensors file; CorruptError unless it is exactly the file noted."""
    _check_bytes(path, note)
    try:
        arrays = load_file(path)
    except Exception as error:  # whatever the reader raises, the file is at fault
        raise CorruptError(f"{path.name} is not safetensors: {str(error)[:100]}") from error
    try:
        check_finite(arrays)
    except ValueError as error:
        raise CorruptError(f"{path.name}: {error}") from error
    return arrays


def _check_bytes(path: Path, note: FileNote) -> None:
    # The size first: a forged giant is refused before it is read.
    with open_plain(path) as file:
        size_bytes = file.seek(0, 2)
        if size_bytes != note.size_bytes:
            raise CorruptError(
                f"{path.name} has {size_bytes:,} bytes instead of {note.size_bytes:,}"
            )
        file.seek(0)
        if file_digest(file, "sha256").hexdigest() != note.sha256:
            raise CorruptError(f"{path.name} is not the file its card describes")


@dataclass(frozen=True, kw_only=True)
class Shard:
    """Base of dataclasses whose fields are arrays, such as the games of a cycle: written once, and
    never changed. Subclasses check shapes and values when they are made."""

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """From what `arrays` returned; ValueError unless the names are those of the fields."""
        names = [field.name for field in fields(cls)]
        if sorted(arrays) != sorted(names):
            raise ValueError(f"the arrays are {sorted(arrays)}, not {sorted(names)}")
        return cls(**arrays)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


class ShardStore:
    """The shards of a run, in files that its checkpoints share.

    A file is named after the digest of its content: the name of a shard never becomes a path, and a
    shard that is made again with other content is another file."""

    def __init__(self, directory: Path) -> None:
        self.folder = directory / SHARDS

    def write(
        self, shards: Mapping[str, Arrays], known: Mapping[str, FileNote]
    ) -> dict[str, FileNote]:
        """Notes of all shards, in their order. Shards in `known` are on disk already; their arrays
        are not looked at."""
        return {
            name: known[name] if name in known else self._write(name, arrays)
            for name, arrays in shards.items()
        }

    def read(self, notes: Mapping[str, FileNote]) -> dict[str, Arrays]:
        """CorruptError unless every shard is the one that was noted."""
        return {name: unpack(self._path(note.sha256), note) for name, note in notes.items()}

    def retain(self, needed: Collection[str]) -> None:
        """Deletes all shards, half-written ones too, whose digests are not in `needed`."""
        if not self.folder.is_dir():
            return
        for entry in list(self.folder.iterdir()):
            found = SHARD_FILE.fullmatch(entry.name)
            if found and found[1] not in needed:
                remove(entry)

    def _write(self, name: str, arrays: Arrays) -> FileNote:
        try:
            data = pack(arrays)
        except ValueError as error:
            raise ValueError(f"shard {name}: {error}") from error
        note = FileNote.of(data)
        make_directory(self.folder)
        replace_file(self._path(note.sha256), data)
        return note

    def _path(self, digest: str) -> Path:
        return self.folder / f"{digest}.safetensors"
