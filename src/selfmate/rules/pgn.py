"""PGN files: reading, writing, and the compressed text they may come in.

`read_pgn` is strict: a game with any error is dropped whole and reported with its line and the
reason. What counts as a game and the bounds on its size are defined by the core
(core/chess/pgn_parser.h, core/chess/pgn_splitter.h).
"""

import gzip
import io
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, TextIO, cast

from selfmate._core import Board, GameRecords, PgnReader
from selfmate.rules.compression import zstd
from selfmate.rules.cpu import available_cores

DEFAULT_CHUNK_BYTES = 1 << 20
# zstd streams that need a larger window are refused; this is the default limit of `zstd --long`.
MAX_ZSTD_WINDOW_LOG = 27

# The seven tag roster of the PGN standard with its values for "unknown".
ROSTER = {
    "Event": "?",
    "Site": "?",
    "Date": "????.??.??",
    "Round": "?",
    "White": "?",
    "Black": "?",
    "Result": "*",
}
# By the codes in GameRecords.results, White's view; -128 is an unknown result.
RESULT_TEXTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1", -128: "*"}
TEXT_WIDTH = 79  # columns; the export format of the standard has lines of less than 80

_TAG_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+#=:-]*")
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE_MAGIC = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
_GZIP_MAGIC = b"\x1f\x8b"

PgnSource = str | os.PathLike[str] | BinaryIO


# Reading


@dataclass(frozen=True)
class DroppedGame:
    """A game that was not read. Its number in the file and the line of the error count from 1."""

    game: int
    line: int
    reason: str


@dataclass(frozen=True)
class PgnChunk:
    """The games of one chunk of a file, and the games dropped from it."""

    games: GameRecords
    dropped: tuple[DroppedGame, ...]


def read_pgn(
    source: PgnSource,
    *,
    threads: int | None = None,
    chunk_bytes: int = DEFAULT_CHUNK_BYTES,
    max_game_bytes: int = PgnReader.DEFAULT_MAX_GAME_BYTES,
) -> Iterator[PgnChunk]:
    """Games of a PGN file in file order, one chunk of text at a time; yields at least one chunk.

    The source is a path or an open binary file, plain or compressed with zstd or gzip, whatever
    its name. The games and their order do not depend on threads or chunk_bytes. A game of more
    than max_game_bytes, tags and comments included, is dropped. Raises ValueError if the source
    is not text or cannot be decompressed.

    Examples:
        >>> import io
        >>> from selfmate import read_pgn
        >>> text = b"1. e4 e5 2. Nf3 1-0\\n\\n1. e4 e4 0-1\\n\\n"
        >>> (chunk,) = read_pgn(io.BytesIO(text))
        >>> chunk.games.uci(0), chunk.games.results.tolist()
        (['e2e4', 'e7e5', 'g1f3'], [1])
        >>> [(game.game, game.line) for game in chunk.dropped]
        [(2, 3)]
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
    """The source as a buffered stream, and its name for error messages."""
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
    # The caller keeps its file: without detach() the buffer would close it.
    buffered = cast(io.BufferedReader, io.BufferedReader(cast(io.RawIOBase, source)))
    try:
        yield buffered, name
    finally:
        buffered.detach()


# Plain or compressed text; the format is recognised by content, not by file name.


class DamagedFileError(ValueError):
    """A compressed file is cut off or corrupt."""


def read_texts(stream: io.BufferedReader, name: str, chunk_bytes: int) -> Iterator[bytes]:
    """Decompressed chunks of a text file of up to chunk_bytes.

    Raises ValueError if the beginning is not text, DamagedFileError if the data is damaged.
    """
    magic = stream.peek(4)[:4]
    if magic == _ZSTD_MAGIC or _ZSTD_SKIPPABLE_MAGIC.fullmatch(magic):
        plain = iter(partial(_zstd_file(stream).read, chunk_bytes), b"")
    elif magic[:2] == _GZIP_MAGIC:
        plain = iter(partial(gzip.GzipFile(fileobj=stream).read, chunk_bytes), b"")
    else:
        plain = iter(partial(stream.read, chunk_bytes), b"")
    try:
        for number, text in enumerate(plain):
            if number == 0:
                _check_is_text(text, name)
            yield text
    except EOFError as error:
        raise DamagedFileError(f"{name} is damaged: the compressed stream is cut off") from error
    except (zstd.ZstdError, gzip.BadGzipFile, zlib.error) as error:
        raise DamagedFileError(f"{name} is damaged: {error}") from error


def _check_is_text(beginning: bytes, name: str) -> None:
    if beginning.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{name} is UTF-16 text; save it as UTF-8")
    if b"\0" in beginning[:4096]:
        raise ValueError(f"{name} is binary data, not text")


def _zstd_file(stream: io.BufferedReader) -> BinaryIO:
    """The text of one or more frames; EOFError when the last one is cut off."""
    options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: MAX_ZSTD_WINDOW_LOG}
    return cast(BinaryIO, zstd.ZstdFile(stream, options=options))


# Writing


def write_pgn(
    records: GameRecords,
    file: TextIO,
    *,
    games: Iterable[int] | None = None,
    tags: Sequence[Mapping[str, str]] | None = None,
) -> None:
    """Writes all games, or those with the given indices, as PGN.

    `tags` [G] are mappings of tags, one for each game of the records; results and ratings of the
    records override them.

    Examples:
        >>> import io
        >>> from selfmate import random_games, write_pgn
        >>> file = io.StringIO()
        >>> write_pgn(random_games(3, seed=1), file, games=[0], tags=[{"Event": "Noise"}] * 3)
        >>> file.getvalue().splitlines()[0]
        '[Event "Noise"]'
    """
    if tags is not None and len(tags) != len(records):
        raise ValueError(f"{len(tags)} tag mappings were given for {len(records)} games")
    chosen = range(len(records)) if games is None else games
    all_tags: Sequence[Mapping[str, str]] = [{}] * len(records) if tags is None else tags
    file.writelines(game_text(records, game, all_tags[game]) for game in chosen)


def game_text(
    records: GameRecords,
    game: int,
    tags: Mapping[str, str] = MappingProxyType({}),
    comments: Sequence[str] = (),
) -> str:
    """A game as PGN, ending with an empty line. The first comment is of the start position, the
    others follow the moves.

    Later sources of tags override earlier ones: the tags a game was read with, the given tags
    and what the records know (Result, ratings, and `setup_tags`).
    """
    result = RESULT_TEXTS[int(records.results[game])]
    moves = movetext(
        records.san(game),
        result,
        records.start_fen(game),
        comments[1:],
        start_comment=comments[0] if comments else "",
    )
    return f"{tag_text(_all_tags(records, game, tags, result))}\n{moves}\n"


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
    return tags | setup_tags(records.start_fen(game))


def setup_tags(start_fen: str) -> dict[str, str]:
    """SetUp and FEN, and in Chess960 Variant; none if the game begins at the standard start."""
    if start_fen == Board().fen():
        return {}
    variant = {"Variant": "Chess960"} if Board(start_fen).chess960 else {}
    return variant | {"SetUp": "1", "FEN": start_fen}


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
    *,
    start_comment: str = "",
) -> str:
    """Numbered SAN moves with their comments, then the result, wrapped to TEXT_WIDTH columns.

    `comments` may be shorter than `sans`; an empty comment is not written. A comment is never
    wrapped, so its line may be longer.
    """
    _, side, _, _, _, number_text = (start_fen or Board().fen()).split()
    number, white_to_move = int(number_text), side == "w"
    words = [_braced(start_comment)] if start_comment else []
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
    """A comment in braces on one line, since some readers keep line breaks as part of the text.

    PGN has no escape for braces within a comment: they become parentheses.
    """
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
