"""Collecting teacher games in an NDJSON or PGN file: in order, with few repeats, resumable.

Games are written in the order of their numbers. Whether a position is a repeat depends on the games
before it, so the file depends on the settings alone.
"""

import gzip
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import numpy as np

from selfmate.data.teacher_games import Plan, TeacherGame, TeacherGames
from selfmate.rules import derive_seeds
from selfmate.rules.compression import zstd
from selfmate.runs import take
from selfmate.runs.files import BINARY

CHUNK_CHARACTERS = 1 << 18  # written at once; a kill loses at most this and the running games
ENDINGS = (".ndjson", ".ndjson.gz", ".ndjson.zst")
PGN_ENDINGS = (".pgn", ".pgn.gz", ".pgn.zst")
AFTER_THE_GAME = -1  # the ply whose seed decides whether a drawn game is dropped
GZIP_LEVEL = 1  # level 6 would take longer than the teacher
READ_BYTES = 1 << 16

_ROUND = re.compile(rb'\[Round "(\d{1,18})"\]')

Settings = Mapping[str, str | int | float | None]


@dataclass(frozen=True, kw_only=True)
class CollectionFilter:
    """What is kept of the games."""

    max_repeats: int = 2  # of a position in the whole file, ignoring the clocks
    drop_draws: float = 0.0  # fraction of the games without a winner to drop


@dataclass
class CollectionStats:
    """Statistics of this session's games; `repeats` counts positions of the whole file."""

    games: int = 0
    dropped: int = 0  # of the games
    scored: int = 0  # positions, by the teacher
    plies: int = 0
    results: Counter[int] = field(default_factory=Counter)  # White's view: 1, 0, -1
    reasons: Counter[str] = field(default_factory=Counter)
    repeats: Counter[str] = field(default_factory=Counter)  # by FEN without clocks

    def add(self, game: TeacherGame) -> None:
        self.games += 1
        self.plies += game.plies
        self.results[game.result] += 1
        self.reasons[str(game.reason)] += 1


class Collection:
    """The file of one plan, new or resumed where it ends.

    Raises ValueError if the file exists and is not resumed, is damaged, or was collected with other
    settings.
    """

    def __init__(
        self,
        games: TeacherGames,
        collection_filter: CollectionFilter,
        path: Path,
        *,
        teacher: str,
        resume: bool,
    ) -> None:
        self.path, self.teacher, self.stats = path, teacher, CollectionStats()
        self.next = 0  # number of the next game to write
        self._games, self._filter = games, collection_filter
        self._texts: list[str] = []
        check_place(path, ENDINGS + PGN_ENDINGS)
        self._is_pgn = path.name.endswith(PGN_ENDINGS)
        if path.exists() and not resume:
            raise ValueError(f"{path} exists already: resume it or choose another file")
        settings = _settings(games.plan, collection_filter, teacher)
        if path.exists():
            check_settings(path, settings)
        self._file = LineFile(path)
        try:
            self._file.truncate(self._read())
            write_settings(path, settings)
        except BaseException:
            self._file.close()
            raise

    def run(self) -> Iterator[CollectionStats]:
        """Plays and writes the missing games; yields the statistics after every step."""
        early: dict[int, TeacherGame] = {}
        for scored, ended in self._games.play(self.next):
            self.stats.scored += scored
            early |= {game.number: game for game in ended}
            while (game := early.pop(self.next, None)) is not None:
                self._keep(game)
                self.next += 1
            if sum(map(len, self._texts)) >= CHUNK_CHARACTERS:
                self._write()
            yield self.stats

    def save(self) -> None:
        """Writes the games that are ready, and waits until they are on the disk."""
        self._write()
        self._file.sync()

    def close(self) -> None:
        self._file.close()

    def _write(self) -> None:
        if self._texts:
            self._file.append("".join(self._texts))
            self._texts = []

    def _keep(self, game: TeacherGame) -> None:
        self.stats.add(game)
        if game.result == 0 and self._is_dropped(game.number):
            self.stats.dropped += 1
            return
        if self._is_pgn:
            self.stats.repeats.update(_without_clocks(fen) for fen, _ in game.positions)
            self._texts.append(game.pgn(self.teacher))
            return
        for fen, line in game.positions:
            position = _without_clocks(fen)
            if self.stats.repeats[position] < self._filter.max_repeats:
                self.stats.repeats[position] += 1
                self._texts.append(line)

    def _is_dropped(self, number: int) -> bool:
        seeds = derive_seeds(self._games.plan.seed, np.array([number]), np.array([AFTER_THE_GAME]))
        return int(seeds[0]) < self._filter.drop_draws * 2**64

    def _read(self) -> int:
        """Takes over the complete games of the file, and returns their size in bytes.

        The file does not say whether its last game is complete, so all chunks with positions of the
        last game are left out and that game is played again. A game of a PGN file ends with an
        empty line.
        """
        if self._is_pgn:
            _, self.next, kept_bytes = complete_games(self.path)
            return kept_bytes
        kept_bytes, end, last = 0, 0, -1
        uncertain = list[str]()
        for chunk_end, rows in _chunks(self.path):
            if rows[0][0] != last:
                self.stats.repeats.update(uncertain)
                kept_bytes, self.next, uncertain = end, last + 1, []
            uncertain += [_without_clocks(fen) for _, fen in rows]
            end, last = chunk_end, rows[-1][0]
        if last >= self._games.plan.games:
            raise ValueError(
                f"{self.path} holds game {last} already, more than the {self._games.plan.games} "
                "games asked for"
            )
        return kept_bytes


def _settings(plan: Plan, collection_filter: CollectionFilter, teacher: str) -> Settings:
    """All that determines the file. The number of games counts only if tau depends on it."""
    settings = asdict(plan) | asdict(collection_filter) | {"teacher": teacher}
    settings["starts"] = sha256("\n".join(plan.starts).encode()).hexdigest()[:12]
    if plan.tau_end is None:
        del settings["games"]
    return settings


def _without_clocks(fen: str) -> str:
    return fen.rsplit(" ", 2)[0]


def _chunks(path: Path) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """For each chunk the byte where it ends, and game and FEN of every line."""
    number = 0
    for end, text in whole_chunks(path):
        rows = []
        for line in text.splitlines():
            number += 1
            rows.append(_game_and_fen(path, number, line))
        if rows:
            yield end, rows


def _game_and_fen(path: Path, number: int, line: bytes) -> tuple[int, str]:
    try:
        entry = json.loads(line)
        return int(entry["game_id"]), str(entry["fen"])
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}, line {number} is damaged: {error!r}") from error


def complete_games(path: Path) -> tuple[int, int, int]:
    """The complete games of a PGN file that was made here, the round of the last, and their bytes.

    A game is its tags, an empty line, its moves and an empty line. Rounds count from 1; 0 is none.
    """
    empty_lines, games, last, size_bytes, newest = 0, 0, 0, 0, 0
    for end, text in whole_chunks(path):
        for line in text.splitlines():
            empty_lines += not line
            newest = int(found[1]) if (found := _ROUND.fullmatch(line)) else newest
        if empty_lines % 2 == 0 and empty_lines > 2 * games:
            games, last, size_bytes = empty_lines // 2, newest, end
    return games, last, size_bytes


# The settings, kept beside the file: a file is resumed with the same settings only


def settings_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.settings.json")


def check_settings(path: Path, settings: Settings) -> None:
    """Raises ValueError if the file was made with other settings.

    A file without settings beside it is accepted.
    """
    beside = settings_path(path)
    if not beside.exists():
        return
    try:
        known = dict(json.loads(beside.read_text("utf-8")))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{beside} is damaged: {error}") from error
    for key in sorted({*settings, *known}):
        if settings.get(key) != known.get(key):
            raise ValueError(
                f"{path} was made with {key} {known.get(key)}, not {settings.get(key)}: "
                "use the same settings or choose another file"
            )


def write_settings(path: Path, settings: Settings) -> None:
    new = path.with_name(f"{path.name}.settings.json.tmp")
    new.write_text(json.dumps(settings, indent=1) + "\n", "utf-8")
    new.replace(settings_path(path))


# The file of lines: it grows by chunks, plain or compressed, and survives being truncated


class _Frame(Protocol):
    """A decompressor of one zstd frame or gzip member."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


def check_place(path: Path, endings: tuple[str, ...]) -> None:
    """Raises ValueError if a file of lines cannot have this path."""
    if not path.name.endswith(endings):
        raise ValueError(f"{path} cannot be written: its name must end in {', '.join(endings)}")
    if not path.parent.is_dir():
        raise ValueError(f"there is no folder {path.parent} for {path.name}: make it first")


class LineFile:
    """A file of lines, locked for its one writer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | BINARY, 0o644)
        if not take(self._descriptor):
            os.close(self._descriptor)
            raise ValueError(f"{path} is being written by another process")
        self._size_bytes = os.fstat(self._descriptor).st_size

    def truncate(self, size_bytes: int) -> None:
        os.ftruncate(self._descriptor, size_bytes)
        self._size_bytes = size_bytes

    def append(self, text: str) -> None:
        """Appends lines as one chunk; if that fails, nothing is left of it."""
        data = memoryview(_compressed(self.path, text.encode()))
        written = 0
        try:
            while written < len(data):
                at = self._size_bytes + written
                written += os.pwrite(self._descriptor, data[written:], at)
        except OSError:
            self.truncate(self._size_bytes)
            raise
        self._size_bytes += written

    def sync(self) -> None:
        """Waits until all chunks are on the disk, which would take too long after each."""
        os.fsync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


def whole_chunks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Complete chunks: the byte of the file where each ends, and its lines.

    A chunk of a plain file is a line. Raises ValueError if a compressed file is damaged before its
    end.
    """
    if (frames := _FRAMES.get(path.suffix)) is None:
        yield from _whole_lines(path)
        return
    try:
        yield from _whole_frames(path, frames)
    except (zlib.error, zstd.ZstdError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error


def _whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    end = 0
    with path.open("rb") as file:
        for line in file:
            end += len(line)
            if line.endswith(b"\n"):
                yield end, line


def _whole_frames(path: Path, new: Callable[[], _Frame]) -> Iterator[tuple[int, bytes]]:
    frame, texts, end = new(), list[bytes](), 0
    with path.open("rb") as file:
        data = file.read(READ_BYTES)
        end += len(data)
        while data:
            texts.append(frame.decompress(data))
            data = b""
            if frame.eof:
                data = frame.unused_data
                yield end - len(data), b"".join(texts)
                frame, texts = new(), []
            if not data:
                data = file.read(READ_BYTES)
                end += len(data)


def _compressed(path: Path, text: bytes) -> bytes:
    if path.suffix == ".gz":
        return gzip.compress(text, GZIP_LEVEL, mtime=0)
    if path.suffix == ".zst":
        return zstd.compress(text, options={zstd.CompressionParameter.checksum_flag: 1})
    return text


_FRAMES: dict[str, Callable[[], _Frame]] = {
    ".gz": lambda: zlib.decompressobj(wbits=31),
    ".zst": zstd.ZstdDecompressor,
}
