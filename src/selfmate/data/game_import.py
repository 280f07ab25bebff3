"""PGN files into a folder of chunks: shuffled across games, parted by game, the same every time.

There are three stages. The inputs are hashed; the games are read, sifted and their positions
written in runs; the runs are read in shuffled order and written as chunks. Killed at any moment,
the same import goes on and comes to the same bytes: runs and chunks that are there are not made
again.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from selfmate.data.chunk_writing import ChunkWriting
from selfmate.data.chunks import GameTally, InputFile, Manifest, Origin
from selfmate.data.game_filter import GameFilter
from selfmate.data.game_reading import GameReading
from selfmate.data.import_folder import ImportFolder
from selfmate.data.shuffled_rows import RowRuns

CHUNK_ROWS = 20_000
RUN_ROWS = 250_000  # some 20 MB
HASHED_BYTES = 1 << 24  # at a time


class NothingKeptError(Exception):
    """Of all games none passed the filter."""


@dataclass(frozen=True, kw_only=True)
class ImportSettings:
    """All that decides the chunks beside the files."""

    game_filter: GameFilter = field(default_factory=GameFilter)
    validation: float = 0.05  # share of the games
    chunk_rows: int = CHUNK_ROWS
    seed: int = 1

    def table(self) -> dict[str, int | float | bool]:
        return asdict(self.game_filter) | {
            "validation": self.validation,
            "chunk_rows": self.chunk_rows,
            "seed": self.seed,
        }


@dataclass
class Progress:
    """How far a stage is, and the games so far."""

    stage: str
    done: int = 0
    total: int = 0
    games_read: int = 0
    games_kept: int = 0


class GameImport:
    """ValueError when a file cannot be read, or the folder is for something else."""

    def __init__(
        self,
        files: Sequence[Path],
        out: Path,
        settings: ImportSettings,
        *,
        run_rows: int = RUN_ROWS,
    ) -> None:
        for path in files:
            _check_file(path)
        self.files, self.settings = files, settings
        self.progress = Progress("checking the files", total=sum(map(_size_of, files)))
        self.manifest: Manifest | None = None  # once all is done
        self.was_finished = False
        self._run_rows = run_rows
        self.folder = ImportFolder(out)

    def run(self) -> Generator[None, None, None]:
        """Does what is missing, a little at a time. ValueError when a file is damaged or the folder
        has another origin, NothingKeptError when nothing came of it."""
        inputs = list[InputFile]()
        for path in self.files:
            yield from self._hash(path, inputs)
        origin = Origin(inputs=inputs, settings=self.settings.table())
        self.manifest = self.folder.begin(origin)
        self.was_finished = self.manifest is not None
        if self.was_finished:
            return
        runs = RowRuns(self.folder.unfinished, self.settings.seed)
        if (tally := self.folder.tally()) is None:
            yield from self._read(runs)
            tally = self.folder.tally()
        assert tally is not None
        yield from self._write(origin, tally, runs)

    def close(self) -> None:
        self.folder.close()

    def _hash(self, path: Path, inputs: list[InputFile]) -> Iterator[None]:
        digest, size = sha256(), 0
        with path.open("rb") as file:
            while data := file.read(HASHED_BYTES):
                digest.update(data)
                size += len(data)
                self.progress.done += len(data)
                yield
        inputs.append(InputFile(name=path.name, bytes=size, sha256=digest.hexdigest()))

    def _read(self, runs: RowRuns) -> Iterator[None]:
        settings = self.settings
        reading = GameReading(
            self.files, settings.game_filter, settings.validation, runs, self._run_rows
        )
        self.progress = Progress("reading", total=self.progress.total)
        try:
            for _ in reading.run():
                self.progress.done = reading.bytes_read
                self.progress.games_read, self.progress.games_kept = reading.read, reading.kept
                yield
        except ValueError:
            self.folder.discard()
            raise
        if not reading.kept:
            self.folder.discard()
            raise NothingKeptError(_why_nothing(reading.tally()))
        self.folder.end_reading(reading.tally(), reading.dropped.table())

    def _write(self, origin: Origin, tally: GameTally, runs: RowRuns) -> Iterator[None]:
        writing = ChunkWriting(self.folder.path, runs, self.settings.chunk_rows)
        positions = writing.positions
        self.progress = Progress(
            "writing",
            total=sum(positions.values()),
            games_read=tally.read,
            games_kept=sum(tally.kept.values()),
        )
        for rows in writing.run():
            self.progress.done += rows
            yield
        self.manifest = Manifest(
            **dict(origin), games=tally, positions=positions, chunks=writing.chunks
        )
        self.folder.finish(self.manifest)


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise ValueError(f"{path} is a directory, not a PGN file")
    if not path.exists():
        raise ValueError(f"there is no file {path}")
    if not path.is_file():
        raise ValueError(f"{path} is not a regular file; it is read more than once")
    path.open("rb").close()


def _size_of(path: Path) -> int:
    return path.stat().st_size


def _why_nothing(tally: GameTally) -> str:
    if not tally.read:
        return "there are no games in it"
    reasons = "; ".join(f"{reason}: {count:,}" for reason, count in tally.dropped.items())
    return f"none of {tally.read:,} games was kept ({reasons})"
