"""A folder of chunks: positions of many games, parted into training and validation.

`manifest.json` is written last, so a folder that has one is whole. It says what the positions were
made from and how, and names every chunk with its rows and the SHA-256 of its bytes.
"""

from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from selfmate.data.chunk import Chunk, parse_chunk
from selfmate.encodings.stored import VERSION

MANIFEST = "manifest.json"
MOST_CHUNK_ROWS = 1 << 20
MOST_MANIFEST_BYTES = 1 << 28

Split = Literal["training", "validation"]
SPLITS: tuple[Split, ...] = ("training", "validation")


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class InputFile(_Entry):
    name: str
    bytes: int
    sha256: str


class Origin(_Entry):
    """What chunks are made from, and how: the same origin, the same chunks."""

    stored_version: int = VERSION
    inputs: list[InputFile]
    settings: dict[str, int | float | bool]


class GameTally(_Entry):
    """Games."""

    read: int
    kept: dict[Split, int]
    dropped: dict[str, int]  # by reason
    endings: dict[str, int]  # of those kept, by kind of ending
    results: dict[str, int]  # of those kept


class ChunkEntry(_Entry):
    file: str = Field(pattern=r"^[a-z]+-[0-9]{5,}\.h5$")
    rows: int = Field(ge=1, le=MOST_CHUNK_ROWS)
    bytes: int
    sha256: str


class Manifest(Origin):
    format: Literal[1] = 1
    games: GameTally
    positions: dict[Split, int]
    chunks: dict[Split, list[ChunkEntry]]


class DamagedChunkError(ValueError):
    """A chunk is not what the manifest tells of."""


class ChunkFolder:
    """ValueError in a sentence when the path is none, or not a whole one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = _manifest_bytes(path)
        try:
            self.manifest = Manifest.model_validate_json(text)
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            raise ValueError(f"{path / MANIFEST} is no manifest of chunks: {reason}") from error
        if self.manifest.stored_version != VERSION:
            raise ValueError(
                f"{path} holds positions of version {self.manifest.stored_version}, this Selfmate "
                f"reads version {VERSION}: import the games again"
            )
        self.digest = sha256(text).hexdigest()[:16]

    @property
    def counts(self) -> dict[Split, int]:
        """Positions."""
        return {split: sum(self.chunk_sizes(split)) for split in SPLITS}

    def chunk_sizes(self, split: Split) -> list[int]:
        return [entry.rows for entry in self._entries(split)]

    def read(self, split: Split, number: int) -> Chunk:
        entry = self._entries(split)[number]
        path = self.path / entry.file
        try:
            data = path.read_bytes()
        except OSError as error:
            raise DamagedChunkError(f"cannot read the chunk {path}: {error.strerror}") from error
        if sha256(data).hexdigest() != entry.sha256:
            raise DamagedChunkError(
                f"{path} is damaged: its bytes are not those the manifest tells of"
            )
        return parse_chunk(data, str(path), entry.rows)

    def _entries(self, split: Split) -> list[ChunkEntry]:
        return self.manifest.chunks.get(split, [])


def open_chunks(path: Path, *splits: Split) -> ChunkFolder:
    """A folder that has positions for these uses; ValueError in a sentence otherwise."""
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
            f"{path} is no folder of chunks, or not yet a whole one: it has no {MANIFEST}"
        )
    with (path / MANIFEST).open("rb") as file:
        return file.read(MOST_MANIFEST_BYTES)
