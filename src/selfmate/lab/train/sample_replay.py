"""A game that a run has kept, as positions to look at. Whoever wrote the file, only what the rules
allow is shown."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from selfmate.rules import Board

MOST_MOVES = 2000
MINI_START = re.compile(r"[KQk1-8]+(?:/[KQk1-8]+){3,7}")
MINI_MOVE = re.compile(r"[a-h][1-8][a-h][1-8]")

Position = tuple[str, str, str]  # a FEN (mini-chess: its pieces), the move to it, its squares


def replayed(line: Mapping[str, Any]) -> dict[str, Any] | None:
    """None when it does not even begin."""
    start, moves = _text(line, "start"), str(line.get("moves", "")).split()[:MOST_MOVES]
    is_mini = MINI_START.fullmatch(start) is not None
    try:
        positions = list(_mini_chess(start, moves) if is_mini else _chess(start, moves))
    except ValueError:
        return None
    fens, names, squares = zip(*positions, strict=True)
    return {
        "step": line["step"] if type(line.get("step")) is int else 0,
        **{key: _text(line, key) for key in ("white", "black", "result", "reason")},
        "size": start.count("/") + 1 if is_mini else 8,
        "fens": fens,
        "moves": names[1:],
        "squares": squares[1:],
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
    """Kings and a queen; who stands where is all there is to it."""
    ranks = [re.sub("[1-8]", lambda empty: " " * int(empty[0]), rank) for rank in start.split("/")]
    size = len(ranks)
    if any(len(rank) != size for rank in ranks):
        raise ValueError("the ranks of a board are as long as there are of them")
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
