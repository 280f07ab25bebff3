"""PGN files in and out.

Reading is strict: a game with anything wrong in it is left out whole and named with its line and
reason. What counts as a game, and the bounds on what one may contain, are the core's
(core/chess/pgn_parser.h, pgn_splitter.h).
"""

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from selfmate._core import Board, GameRecords, PgnReader
from selfmate.rules.cores import available_cores
from selfmate.rules.texts import read_texts

DEFAULT_CHUNK_BYTES = 1 << 20

ROSTER = {
    "Event": "?",
    "Site": "?",
    "Date": "????.??.??",
    "Round": "?",
    "White": "?",
    "Black": "?",
    "Result": "*",
}
RESULT_TEXTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1", -128: "*"}
TEXT_WIDTH = 79

_TAG_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+#=:-]*")
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")

PgnSource = str | os.PathLike[str] | BinaryIO


@dataclass(frozen=True)
class DroppedGame:
    """A game that was left out: its number in the file and the line of the trouble, from 1."""

    game: int
    line: int
    reason: str


@dataclass(frozen=True)
class PgnChunk:
    """The games of one piece of a file, and those left out of it."""

    games: GameRecords
    dropped: tuple[DroppedGame, ...]


def read_pgn(
    source: PgnSource,
    *,
    threads: int | None = None,
    chunk_bytes: int = DEFAULT_CHUNK_BYTES,
    max_game_bytes: int = PgnReader.DEFAULT_MAX_GAME_BYTES,
) -> Iterator[PgnChunk]:
    """Games of a PGN file in file order, a chunk of text at a time; at least one chunk comes.

    The source is a path or an open binary file, plain or compressed with zstd or gzip, whatever
    its name. The games and their order do not depend on threads or chunk_bytes. A game of more
    than max_game_bytes, tags and comments included, is dropped. ValueError for what is no text
    or cannot be decompressed.
    """
    if chunk_bytes < 1:
        raise ValueError(f"chunk_bytes is {chunk_bytes}, allowed are 1 and more")
    reader = PgnReader(
        available_cores() if threads is None else threads, max_game_bytes=max_game_bytes
    )
    return _chunks(source, reader, chunk_bytes)


def _chunks(source: PgnSource, reader: PgnReader, chunk_bytes: int) -> Iterator[PgnChunk]:
    at_end = False
    with _opened(source) as (stream, name):
        texts = read_texts(stream, name, chunk_bytes)
        while not at_end:
            text = next(texts, b"")
            at_end = not text
            if at_end:
                reader.finish()
            else:
                reader.feed(text)
            games = reader.take()
            dropped = tuple(DroppedGame(*fields) for fields in reader.take_dropped())
            if at_end or len(games) or dropped:
                yield PgnChunk(games, dropped)


@contextmanager
def _opened(source: PgnSource) -> Iterator[tuple[io.BufferedReader, str]]:
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.is_dir():
            raise ValueError(f"{path} is a directory, not a PGN file")
        with path.open("rb") as file:
            yield file, str(path)
        return
    name = str(getattr(source, "name", "PGN stream"))
    if isinstance(source, io.TextIOBase):
        raise TypeError(f"{name} is open as text, PGN is read from files open in binary mode")
    # Lent, not taken over: without detach() the caller's file would be closed.
    buffered = cast(io.BufferedReader, io.BufferedReader(cast(io.RawIOBase, source)))
    try:
        yield buffered, name
    finally:
        buffered.detach()


def write_pgn(
    records: GameRecords,
    file: TextIO,
    *,
    games: Iterable[int] | None = None,
    tags: Sequence[Mapping[str, str]] | None = None,
) -> None:
    """Writes all games, or those with the given numbers, as PGN.

    Tags are those the games were read with, then the given ones (one mapping per record), then
    what the records know: Result, ratings, and SetUp and FEN for another start.
    """
    if tags is not None and len(tags) != len(records):
        raise ValueError(f"{len(tags)} tag mappings were given for {len(records)} games")
    for game in range(len(records)) if games is None else games:
        given = tags[game] if tags is not None else {}
        result = RESULT_TEXTS[int(records.results[game])]
        fen = records.start_fen(game)
        file.write(tag_text(_all_tags(records, game, given, result)))
        file.write("\n")
        file.write(movetext(records.san(game), result, fen))
        file.write("\n")


def _all_tags(
    records: GameRecords, game: int, given: Mapping[str, str], result: str
) -> dict[str, str]:
    tags = ROSTER | records.tags(game) | dict(given) | {"Result": result}
    for name, rating in (
        ("WhiteElo", int(records.white_elo[game])),
        ("BlackElo", int(records.black_elo[game])),
    ):
        if rating:
            tags[name] = str(rating)
    for name in ("SetUp", "FEN"):
        tags.pop(name, None)
    if (fen := records.start_fen(game)) != Board().fen():
        tags |= {"SetUp": "1", "FEN": fen}
    return tags


def tag_text(tags: Mapping[str, str]) -> str:
    """A PGN tag section, one line per tag."""
    for name in tags:
        if not _TAG_NAME.fullmatch(name):
            raise ValueError(f"{name!r} cannot be a PGN tag name")
    return "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in tags.items())


def _escaped(value: str) -> str:
    one_line = _CONTROL_CHARACTERS.sub(" ", value)
    return one_line.replace("\\", "\\\\").replace('"', '\\"')


def movetext(
    sans: Sequence[str],
    result: str,
    start_fen: str | None = None,
    comments: Sequence[str] = (),
) -> str:
    """Numbered moves, each with its comment if there is one, and the result, in lines of less than
    80 columns, if no comment is longer."""
    _, side, _, _, _, number_text = (start_fen or Board().fen()).split()
    number, white_to_move = int(number_text), side == "w"
    words: list[str] = []
    for san, comment in zip_longest(sans, comments[: len(sans)], fillvalue=""):
        if white_to_move:
            words.append(f"{number}.")
        elif not words or words[-1].endswith("}"):
            words.append(f"{number}...")
        words.append(san)
        if comment:
            words.append(_braced(comment))
        number += not white_to_move
        white_to_move = not white_to_move
    return _wrapped([*words, result])


def _braced(comment: str) -> str:
    """On one line, for others read a line's end as part of it; it cannot hold braces itself."""
    words = comment.replace("{", "(").replace("}", ")").split()
    return f"{{{' '.join(words)}}}"


def _wrapped(words: Sequence[str]) -> str:
    lines, line = [], words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) > TEXT_WIDTH:
            lines.append(line)
            line = word
        else:
            line += " " + word
    return "\n".join([*lines, line, ""])
