"""What the page needs to know about a position and a line of moves: the page knows no rules."""

from collections.abc import Iterable

from typing_extensions import TypedDict

from selfmate.rules import Board

PROMOTION_LENGTH = 5  # of a UCI move such as e7e8q


class LegalMoves(TypedDict):
    destinations: dict[str, list[str]]  # squares by the square that a piece moves from
    promotions: list[str]  # moves such as e7e8 that need a choice of piece
    legal: dict[str, str]  # SAN by UCI


def legal_moves_of(board: Board, moves: Iterable[str] | None = None) -> LegalMoves:
    """All legal moves, or those that are given."""
    legal = list(board.legal_moves() if moves is None else moves)
    destinations: dict[str, list[str]] = {}
    for move in legal:
        squares = destinations.setdefault(move[:2], [])
        if move[2:4] not in squares:  # four promotions lead to one square
            squares.append(move[2:4])
    return {
        "destinations": destinations,
        "promotions": sorted({move[:4] for move in legal if len(move) == PROMOTION_LENGTH}),
        "legal": {move: board.san(move) for move in legal},
    }


def sans_of(board: Board, moves: Iterable[str]) -> list[str]:
    """Moves in algebraic notation, up to the first illegal one: lines of engines may have some."""
    after, sans = board.copy(), []
    for move in moves:
        if move not in after.legal_moves():
            break
        sans.append(after.san(move))
        after.push(move, past_draw=True)
    return sans
