"""Openings for fair matches: each is played twice, with colours swapped."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from selfmate.rules import Board, read_pgn


@dataclass(frozen=True)
class Opening:
    """Where a game starts, and the moves that are given."""

    fen: str  # of the position before the moves
    moves: tuple[str, ...] = ()  # UCI

    def board(self) -> Board:
        """A board at the end of the opening, its line included."""
        board = Board(self.fen)
        for move in self.moves:
            board.push(move)
        return board


def shipped_openings() -> list[Opening]:
    """Balanced lines of six to eight plies, made by `python -m selfmate.arena.make_openings`."""
    text = files(__package__).joinpath("openings.txt").read_text("utf-8")
    start = Board().fen()
    lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return [Opening(start, tuple(moves)) for moves in lines]


def read_openings(path: Path) -> list[Opening]:
    """Openings from an EPD or FEN file (one a line) or a PGN file, by content."""
    openings = _read_pgn(path) if _looks_like_pgn(path) else _read_epd(path)
    if not openings:
        raise ValueError(f"{path} holds no opening")
    return openings


def _looks_like_pgn(path: Path) -> bool:
    name = path.name.lower()
    return any(name.endswith(ending) for ending in (".pgn", ".pgn.zst", ".pgn.gz"))


def _read_epd(path: Path) -> list[Opening]:
    openings = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split(";")[0].split()
        # EPD has four fields and then operations; FEN has two counters there.
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


def shuffled(openings: Sequence[Opening], seed: int) -> list[Opening]:
    """The same openings in the order that a seed decides."""
    order = list(openings)
    random.Random(seed).shuffle(order)
    return order
