"""Importing PGN files as a dataset: a folder of chunks, shuffled across games and split by game.

An import has four stages. It hashes the input files. It reads and filters the games and writes
their positions in runs (selfmate.data.shuffle). It reads the runs in shuffled order and writes
chunks (selfmate.data.import_folder). If the games have evaluations, it fits the curve that turns
them into win, draw and loss (selfmate.data.wdl_curve). An import that was killed at any moment
resumes and produces the same bytes: runs and chunks that exist are not made again.
"""

import math
import re
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b, sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selfmate.data.dataset import (
    NO_EVALUATION,
    NO_MOVE,
    SPLITS,
    Chunk,
    ChunkEntry,
    GameCounts,
    InputFile,
    Manifest,
    Origin,
    Split,
    read_chunk,
)
from selfmate.data.game_filter import (
    ENDINGS,
    FAULTY,
    REPEATED,
    START_FEN,
    FilterResult,
    GameFilter,
    RejectedGame,
)
from selfmate.data.import_folder import ChunkWriter, ImportFolder
from selfmate.data.shuffle import RowRuns, Rows, rows_of
from selfmate.data.wdl_curve import WdlCurve, count_results
from selfmate.encodings.records import encode_game_records, is_white_to_move
from selfmate.rules import GameRecords, available_cores, read_pgn
from selfmate.rules.pgn import RESULT_TEXTS, PgnChunk

CHUNK_ROWS = 20_000
RUN_ROWS = 250_000  # about 20 MB
HASH_BLOCK_BYTES = 1 << 24
DIGESTS = 1 << 64  # a game's digest is a number below
MIN_DIGESTS_TO_MERGE = 1 << 16
MAX_LISTED = 1000  # dropped games per reason; a file may hold millions

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


class NothingKeptError(Exception):
    """None of the games passed the filter."""


@dataclass(frozen=True, kw_only=True)
class ImportSettings:
    """All that determines the chunks besides the input files."""

    game_filter: GameFilter = field(default_factory=GameFilter)
    validation: float = 0.05  # fraction of the games
    chunk_rows: int = CHUNK_ROWS
    seed: int = 1
    max_games: int | None = None  # the import ends when so many games are kept

    def table(self) -> dict[str, int | float | bool | str]:
        """As manifests keep them."""
        table = self.game_filter.table() | {
            "validation": self.validation,
            "chunk_rows": self.chunk_rows,
            "seed": self.seed,
        }
        return table if self.max_games is None else table | {"max_games": self.max_games}


@dataclass
class Progress:
    """Progress of the current stage (bytes, or rows from writing on), and the games so far."""

    stage: str
    done: int = 0
    total: int = 0
    games_read: int = 0
    games_kept: int = 0


class GameImport:
    """An import, begun or resumed in the folder `out`.

    Raises ValueError if a file cannot be read or the folder is used for something else.
    """

    def __init__(
        self,
        files: Sequence[Path],
        out: Path,
        settings: ImportSettings,
        *,
        run_rows: int = RUN_ROWS,
    ) -> None:
        for path in files:
            check_file(path)
        self.files, self.settings = files, settings
        self.progress = Progress("checking the files", total=sum(map(_size_of, files)))
        self.manifest: Manifest | None = None  # set when the import is complete
        self.was_finished = False
        self._run_rows = run_rows
        self.folder = ImportFolder(out)

    def run(self) -> Generator[None, None, None]:
        """Does what is missing, in small steps.

        Raises ValueError if a file is damaged or the folder has another origin, and
        NothingKeptError if no game passes the filter.
        """
        inputs = list[InputFile]()
        for path in self.files:
            yield from self._hash(path, inputs)
        origin = Origin(inputs=inputs, settings=self.settings.table())
        self.manifest = self.folder.begin(origin)
        self.was_finished = self.manifest is not None
        if self.was_finished:
            return
        runs = RowRuns(self.folder.unfinished, self.settings.seed)
        if (counts := self.folder.counts()) is None:
            yield from self._read(runs)
            counts = self.folder.counts()
        assert counts is not None
        yield from self._write(origin, counts, runs)

    def close(self) -> None:
        self.folder.close()

    def _hash(self, path: Path, inputs: list[InputFile]) -> Iterator[None]:
        digest, size = sha256(), 0
        with path.open("rb") as file:
            while data := file.read(HASH_BLOCK_BYTES):
                digest.update(data)
                size += len(data)
                self.progress.done += len(data)
                yield
        inputs.append(InputFile(name=path.name, bytes=size, sha256=digest.hexdigest()))

    def _read(self, runs: RowRuns) -> Iterator[None]:
        settings = self.settings
        reader = GameReader(self.files, settings, runs, self._run_rows)
        self.progress = Progress("reading", total=self.progress.total)
        try:
            for _ in reader.run():
                self.progress.done = reader.bytes_read
                self.progress.games_read, self.progress.games_kept = reader.read, reader.kept
                yield
        except ValueError:
            self.folder.discard()
            raise
        if not reader.kept:
            self.folder.discard()
            raise NothingKeptError(_why_nothing(reader.counts()))
        self.folder.end_reading(reader.counts(), reader.dropped.table())

    def _write(self, origin: Origin, counts: GameCounts, runs: RowRuns) -> Iterator[None]:
        writer = ChunkWriter(self.folder.path, runs, self.settings.chunk_rows)
        positions = writer.positions
        self.progress = Progress(
            "writing",
            total=sum(positions.values()),
            games_read=counts.read,
            games_kept=sum(counts.kept.values()),
        )
        for rows in writer.run():
            self.progress.done += rows
            yield
        curve = yield from self._fit(counts, writer.chunks)
        self.manifest = Manifest(
            **dict(origin),
            games=counts,
            positions=positions,
            chunks=writer.chunks,
            wdl_curve=curve,
        )
        self.folder.finish(self.manifest)

    def _fit(
        self, counts: GameCounts, chunks: dict[Split, list[ChunkEntry]]
    ) -> Generator[None, None, WdlCurve | None]:
        """The curve of the games' own evaluations and results, if there are evaluations."""
        if not sum(counts.evaluations.values()):
            return None
        found = {split: count_results(()) for split in SPLITS}
        self.progress = replace(self.progress, stage="fitting", done=0)
        for split, entries in chunks.items():
            for entry in entries:
                found[split] += count_results([read_chunk(self.folder.path, entry)])
                self.progress.done += entry.rows
                yield
        return WdlCurve.fit(found["training"], found["validation"])


def check_file(path: Path) -> None:
    """Raises ValueError if it is no file that can be read twice."""
    if path.is_dir():
        raise ValueError(f"{path} is a directory, not a PGN file")
    if not path.exists():
        raise ValueError(f"there is no file {path}")
    if not path.is_file():
        raise ValueError(f"{path} is not a regular file; it is read more than once")
    path.open("rb").close()


def _size_of(path: Path) -> int:
    return path.stat().st_size


def _why_nothing(counts: GameCounts) -> str:
    if not counts.read:
        return "there are no games in it"
    reasons = "; ".join(f"{reason}: {count:,}" for reason, count in counts.dropped.items())
    return f"none of {counts.read:,} games was kept ({reasons})"


class GameReader:
    """The reading stage: games are read and filtered, their positions written in runs.

    All files are read from the beginning, but only games that are in no run yet are encoded.
    """

    def __init__(
        self, files: Sequence[Path], settings: ImportSettings, runs: RowRuns, run_rows: int
    ) -> None:
        """A run has at least `run_rows` rows."""
        self._files, self._runs, self._run_rows = files, runs, run_rows
        self._filter, self._max_games = settings.game_filter, settings.max_games
        self._validation_below = int(settings.validation * DIGESTS)
        self._next_missing = runs.next_game
        self._seen, self._rows, self._splits = SeenGames(), list[Rows](), list[NDArray[np.uint8]]()
        self._kept, self._endings, self._results = Counter[int](), Counter[int](), Counter[int]()
        self._evaluations, self._best_moves = (
            np.zeros(len(SPLITS), np.int64),
            np.zeros(len(SPLITS), np.int64),
        )
        self.dropped = DroppedGames()
        self.bytes_read = 0

    @property
    def kept(self) -> int:
        return self._kept.total()

    @property
    def read(self) -> int:
        return self.kept + self.dropped.counts.total()

    def run(self) -> Iterator[None]:
        """Reads one piece of a file per step. Raises ValueError if a file is damaged."""
        for path in self._files:
            before = self.bytes_read
            with path.open("rb", buffering=0) as file:
                for piece in read_pgn(file):
                    self._add(path.name, piece)
                    self.bytes_read = before + file.tell()
                    yield
                    if self.kept == self._max_games:
                        break
            if self.kept == self._max_games:
                break
        self._write_run()

    def counts(self) -> GameCounts:
        return GameCounts(
            read=self.read,
            kept={split: self._kept[number] for number, split in enumerate(SPLITS)},
            dropped=dict(self.dropped.counts.most_common()),
            endings={ENDINGS[code]: count for code, count in self._endings.most_common()},
            results={RESULT_TEXTS[result]: self._results[result] for result in (1, 0, -1)},
            evaluations=dict(zip(SPLITS, self._evaluations.tolist(), strict=True)),
            best_moves=dict(zip(SPLITS, self._best_moves.tolist(), strict=True)),
        )

    def _add(self, file: str, piece: PgnChunk) -> None:
        records, passed = piece.games, self._filter.apply(piece.games)
        digests = [_digest(records, game) for game in passed.games.tolist()]
        new = np.array(self._seen.add(digests), np.bool_)
        repeated = [RejectedGame(game, REPEATED) for game in passed.games[~new].tolist()]
        splits = np.array([digest < self._validation_below for digest in digests], np.uint8)
        wanted = slice(None if self._max_games is None else self._max_games - self.kept)
        chosen = FilterResult(passed.games[new][wanted], passed.endings[new][wanted], [])
        self._keep(records, chosen, splits[new][wanted])
        # When enough games are kept, the rest of the file does not count as read.
        is_last = self.kept == self._max_games
        end = int(records.lines[chosen.games[-1]]) if is_last else math.inf
        self._report(file, piece, [*passed.rejected, *repeated], end)

    def _report(self, file: str, piece: PgnChunk, rejected: list[RejectedGame], end: float) -> None:
        """Notes the dropped games up to the line `end`."""
        entries = [(game.line, FAULTY, game.reason) for game in piece.dropped]
        lines = piece.games.lines
        entries += [(int(lines[game.game]), game.reason, game.detail) for game in rejected]
        for line, reason, detail in sorted(entries):
            if line <= end:
                self.dropped.add(file, line, reason, detail)

    def _keep(self, records: GameRecords, chosen: FilterResult, splits: NDArray[np.uint8]) -> None:
        numbers = self.kept + np.arange(len(chosen.games))
        self._kept.update(splits.tolist())
        self._endings.update(chosen.endings.tolist())
        self._results.update(records.results[chosen.games].tolist())
        self._count_notes(records, chosen.games, splits)
        missing = numbers >= self._next_missing
        if not missing.any():
            return
        by_game = np.zeros((len(records), 3), np.int64)
        by_game[chosen.games] = np.column_stack([numbers, chosen.endings, splits])
        self._encode(records, chosen.games[missing], by_game)
        if sum(map(len, self._rows)) >= self._run_rows:
            self._write_run()

    def _count_notes(
        self, records: GameRecords, games: NDArray[np.int64], splits: NDArray[np.uint8]
    ) -> None:
        begins, ends = records.offsets[games] + self._filter.skip_plies, records.offsets[games + 1]
        for counts, is_known in (
            (self._evaluations, records.evaluations != NO_EVALUATION),
            (self._best_moves, records.best_moves != NO_MOVE),
        ):
            before = np.concatenate([[0], np.cumsum(is_known)])
            np.add.at(counts, splits, before[ends] - before[begins])

    def _encode(
        self, records: GameRecords, chosen: NDArray[np.int64], by_game: NDArray[np.int64]
    ) -> None:
        """Adds the rows of the chosen games. `by_game` [G, 3]: number, ending and split."""
        positions = encode_game_records(
            records, chosen, skip_plies=self._filter.skip_plies, threads=available_cores()
        )
        games = positions.games
        plies = records.offsets[games + 1] - positions.plies_left
        chunk = Chunk(
            stored=positions.records,
            moves=positions.moves,
            results=records.results[games],
            plies_left=positions.plies_left,
            endings=by_game[games, 1].astype(np.uint8),
            white_elo=records.white_elo[games],
            black_elo=records.black_elo[games],
            games=by_game[games, 0],
            evaluations=records.evaluations[plies],
            best_moves=records.best_moves[plies],
        )
        used = self._used(records, chunk, games)
        self._rows.append(rows_of(chunk.take(used)))
        self._splits.append(by_game[games[used], 2].astype(np.uint8))

    def _used(
        self, records: GameRecords, chunk: Chunk, games: NDArray[np.int64]
    ) -> NDArray[np.int64] | slice:
        """The rows in which the player that is wanted moves; without one, all."""
        if not self._filter.player:
            return slice(None)
        movers = np.zeros((len(records), 2), np.bool_)  # White, Black
        for game in np.unique(games).tolist():
            movers[game] = self._filter.movers(records, game)
        is_black = (~is_white_to_move(chunk.stored)).astype(np.int64)
        return np.flatnonzero(movers[games, is_black])

    def _write_run(self) -> None:
        if self._rows:
            self._runs.append(np.concatenate(self._rows), np.concatenate(self._splits), self.kept)
            self._rows, self._splits = [], []


def _digest(records: GameRecords, game: int) -> int:
    """A digest of the game's start, if it is not the standard one, and its moves. It decides the
    split, so every import splits a game alike."""
    line = records.moves[records.offsets[game] : records.offsets[game + 1]]
    fen = records.start_fen(game)
    start = b"" if fen == START_FEN else fen.encode()
    return int.from_bytes(blake2b(start + line.tobytes(), digest_size=8).digest(), "little")


class SeenGames:
    """Digests of the games read so far, to recognise repeated games."""

    def __init__(self) -> None:
        self._sorted: NDArray[np.uint64] = np.empty(0, np.uint64)
        self._recent: set[int] = set()  # fast, but ten times the memory of the array

    def add(self, digests: list[int]) -> list[bool]:
        """Adds digests, and returns for each whether it was new."""
        wanted = np.array(digests, np.uint64)
        after = np.searchsorted(self._sorted, wanted, side="right")
        old = np.searchsorted(self._sorted, wanted) < after
        new = []
        for digest, is_old in zip(digests, old.tolist(), strict=True):
            new.append(not is_old and digest not in self._recent)
            if new[-1]:
                self._recent.add(digest)
        self._merge()
        return new

    def _merge(self) -> None:
        if len(self._recent) >= max(MIN_DIGESTS_TO_MERGE, len(self._sorted) // 8):
            recent = np.fromiter(self._recent, np.uint64)
            self._sorted = np.sort(np.concatenate([self._sorted, recent]))
            self._recent = set()


class DroppedGames:
    """The dropped games: a count for each reason, and where they are in the files."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._lines: list[str] = []

    def add(self, file: str, line: int, reason: str, detail: str) -> None:
        self.counts[reason] += 1
        if self.counts[reason] <= MAX_LISTED:
            fields = (file, str(line), reason, detail)
            self._lines.append("\t".join(_UNPRINTABLE.sub(" ", field) for field in fields))

    def table(self) -> str:
        """The text of dropped.tsv: file, line, reason and detail of the first MAX_LISTED games of
        each reason, in file order."""
        return "\n".join(["file\tline\treason\tdetail", *self._lines, ""])
