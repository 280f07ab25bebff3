"""A game with all its positions, for the page knows no rules."""

from collections.abc import Sequence
from typing import Any

from selfmate.arena.match import PlayedGame
from selfmate.lab.position_data import sans_of
from selfmate.rules import Board
from selfmate.rules.pgn import RESULT_TEXTS


def record_of(game: PlayedGame) -> dict[str, Any]:
    """The start and what came after each move."""
    board = Board(game.opening.fen)
    sans = sans_of(board, game.moves)
    positions = [_position(board, None)]
    for move in game.moves:
        board.push(move, past_draw=True)
        positions.append(_position(board, move))
    return row_of(game) | {
        "opening_plies": len(game.opening.moves),
        "positions": positions,
        "moves": game.moves,
        "sans": sans,
    }


def row_of(game: PlayedGame) -> dict[str, Any]:
    """A game in a list."""
    return {
        "number": game.number,
        "result": RESULT_TEXTS[game.result],
        "points": game.points_of_a,
        "reason": game.reason.replace("_", " "),
        "forfeit": game.forfeit,
        "plies": len(game.moves),
    }


def last_position(fen: str, moves: Sequence[str]) -> dict[str, Any]:
    """Where a game stands. ValueError when a move is not legal."""
    board = Board(fen)
    for move in moves:
        board.push(move, past_draw=True)
    return _position(board, moves[-1] if moves else None)


def _position(board: Board, move: str | None) -> dict[str, Any]:
    return {
        "fen": board.fen(),
        "check": board.is_check(),
        "move": move and [move[:2], move[2:4]],
    }
