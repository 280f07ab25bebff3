"""Openings for fair matches: each is played twice, with colours swapped."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from selfmate.rules import CHESS960_STARTS, Board, chess960_fen, read_pgn

PGN_ENDINGS = (".pgn", ".pgn.zst", ".pgn.gz")


@dataclass(frozen=True)
class Opening:
    """A start position and the moves that are played for both sides."""

    fen: str  # before the moves
    moves: tuple[str, ...] = ()  # UCI

    def board(self) -> Board:
        """A board after the opening, with its moves in the history."""
        board = Board(self.fen)
        for move in self.moves:
            board.push(move)
        return board


def shipped_openings() -> list[Opening]:
    """Balanced lines of six to eight plies, made by `scripts/make_openings.py`."""
    text = files(__package__).joinpath("openings.txt").read_text("utf-8")
    start = Board().fen()
    lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return [Opening(start, tuple(moves)) for moves in lines]


def chess960_openings() -> list[Opening]:
    """The start positions of Chess960, no moves played."""
    return [Opening(chess960_fen(number)) for number in range(CHESS960_STARTS)]


def shuffled(openings: Sequence[Opening], seed: int) -> list[Opening]:
    """The same openings in an order that the seed decides."""
    order = list(openings)
    random.Random(seed).shuffle(order)
    return order


def read_openings(path: Path) -> list[Opening]:
    """Openings from a PGN file (.pgn, .pgn.zst, .pgn.gz), or from EPD or FEN, one a line.

    ValueError names the line of a bad opening, or says that there is none.
    """
    is_pgn = path.name.lower().endswith(PGN_ENDINGS)
    openings = _read_pgn(path) if is_pgn else _read_epd(path)
    if not openings:
        raise ValueError(f"{path} holds no opening")
    return openings


def _read_epd(path: Path) -> list[Opening]:
    openings = []
    try:
        text = path.read_text("utf-8")
    except UnicodeError:
        raise ValueError(f"{path} is not UTF-8 text") from None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split(";")[0].split()
        # After four fields EPD has operations, and FEN two counters.
        counters = fields[4:6] if all(field.isdigit() for field in fields[4:6]) else []
        try:
            opening = Opening(Board(" ".join([*fields[:4], *counters])).fen())
            _check_playable(opening)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from error
        openings.append(opening)
    return openings


def _read_pgn(path: Path) -> list[Opening]:
    openings = []
    for chunk in read_pgn(path):
        if chunk.dropped:
            broken = chunk.dropped[0]
            raise ValueError(f"{path}, line {broken.line}: {broken.reason}")
        for game in range(len(chunk.games)):
            fen = chunk.games.start_fen(game)
            opening = Opening(fen, tuple(chunk.games.uci(game)))
            _check_playable(opening)
            openings.append(opening)
    return openings


def _check_playable(opening: Opening) -> None:
    outcome = opening.board().outcome()
    if outcome is not None:
        raise ValueError(f"the opening ends the game ({outcome.reason})")
