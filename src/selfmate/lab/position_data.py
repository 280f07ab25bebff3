"""What a page that knows no rules must be told of a position and of a line of moves."""

from collections.abc import Iterable
from typing import Any

from selfmate.rules import Board

PROMOTED_LENGTH = 5  # of a UCI text such as e7e8q


def choices_of(board: Board, legal: Iterable[str] | None = None) -> dict[str, Any]:
    """Where the pieces can go, which of these moves promote, and what each is called; of all legal
    moves unless some are given."""
    moves = list(board.legal_moves() if legal is None else legal)
    destinations: dict[str, list[str]] = {}
    for move in moves:
        to = destinations.setdefault(move[:2], [])
        if move[2:4] not in to:  # one square, though a pawn may become four pieces there
            to.append(move[2:4])
    return {
        "destinations": destinations,
        "promotions": sorted({move[:4] for move in moves if len(move) == PROMOTED_LENGTH}),
        "legal": {move: board.san(move) for move in moves},
    }


def sans_of(board: Board, moves: Iterable[str]) -> list[str]:
    """In algebraic notation, as far as they can be played; engines may say more than there is."""
    after, sans = board.copy(), []
    for move in moves:
        if move not in after.legal_moves():
            break
        sans.append(after.san(move))
        after.push(move, past_draw=True)
    return sans
