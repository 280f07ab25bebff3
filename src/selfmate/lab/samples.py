"""The newest sample game of a run as positions, the topic `sample:NAME`.

The file may have been written by something else: only what the rules allow is shown.
"""

import re
import threading
import time
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from selfmate.lab.runs_folder import changed_ns
from selfmate.rules import Board
from selfmate.runs import RunDirectory
from selfmate.runs.metrics import SAMPLES

SECONDS_BETWEEN_LOOKS = 1.0
MAX_MOVES = 2000
CHESS_SIZE = 8
MINI_START = re.compile(r"[KQk1-8]+(?:/[KQk1-8]+){3,7}")
MINI_MOVE = re.compile(r"[a-h][1-8][a-h][1-8]")

Position = tuple[str, str, str]  # FEN (mini-chess: its pieces), SAN and UCI of the move to it


class SampleGame(TypedDict):
    """`fens` has one position more than there are moves."""

    step: int
    white: str
    black: str
    result: str
    reason: str
    size: int
    fens: list[str]
    moves: list[str]  # SAN
    squares: list[str]  # UCI


def replay(line: Mapping[str, Any]) -> SampleGame | None:
    """The positions up to the first illegal move; None when the start is not a position."""
    start, moves = _text(line, "start"), str(line.get("moves", "")).split()[:MAX_MOVES]
    is_mini = MINI_START.fullmatch(start) is not None
    try:
        positions = list(_mini_chess(start, moves) if is_mini else _chess(start, moves))
    except ValueError:
        return None
    return {
        "step": line["step"] if type(line.get("step")) is int else 0,
        "white": _text(line, "white"),
        "black": _text(line, "black"),
        "result": _text(line, "result"),
        "reason": _text(line, "reason"),
        "size": start.count("/") + 1 if is_mini else CHESS_SIZE,
        "fens": [fen for fen, _, _ in positions],
        "moves": [san for _, san, _ in positions[1:]],
        "squares": [uci for _, _, uci in positions[1:]],
    }


def _chess(start: str, moves: Sequence[str]) -> Iterator[Position]:
    board = Board(start)
    yield board.fen(), "", ""
    for move in moves:
        try:
            name = board.san(move)
            board.push(move)
        except ValueError:
            return
        yield board.fen(), name, move


def _mini_chess(start: str, moves: Sequence[str]) -> Iterator[Position]:
    """Kings and a queen; only the squares are checked, not the rules."""
    ranks = [re.sub("[1-8]", lambda empty: " " * int(empty[0]), rank) for rank in start.split("/")]
    size = len(ranks)
    if any(len(rank) != size for rank in ranks):
        raise ValueError("the board is not square")
    pieces = {
        f"{'abcdefgh'[file]}{size - row}": letter
        for row, rank in enumerate(ranks)
        for file, letter in enumerate(rank)
        if letter != " "
    }
    yield start, "", ""
    for move in moves:
        before, after = move[:2], move[2:]
        if not MINI_MOVE.fullmatch(move) or before not in pieces:
            return
        pieces[after] = pieces.pop(before)
        yield _placement(size, pieces), f"{pieces[after].upper()}{after}", move


def _placement(size: int, pieces: Mapping[str, str]) -> str:
    rows = (
        "".join(pieces.get(f"{file}{rank}", "1") for file in "abcdefgh"[:size])
        for rank in range(size, 0, -1)
    )
    return re.sub("1+", lambda empty: str(len(empty[0])), "/".join(rows))


def _text(line: Mapping[str, Any], key: str) -> str:
    return str(line.get(key, ""))[:200]


class SampleFeed:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._looked, self._version = -SECONDS_BETWEEN_LOOKS, 0
        self._shown = -1
        self._data: SampleGame | None = None

    def version(self) -> Hashable:
        with self._lock:
            if time.monotonic() - self._looked >= SECONDS_BETWEEN_LOOKS:
                self._looked = time.monotonic()
                self._version = changed_ns(self._path / SAMPLES)
            return self._version

    def data(self) -> SampleGame | None:
        with self._lock:
            if self._shown != self._version:
                self._shown, self._data = self._version, self._newest()
            return self._data

    def _newest(self) -> SampleGame | None:
        try:
            line = RunDirectory(self._path).newest_sample()
        except ValueError:
            return None
        return None if line is None else replay(line)
