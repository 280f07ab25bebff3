"""Squares, moves and positions of the mini-chess in words: files a, b, ... are columns, ranks 1, 2,
... are rows, as on a chess board with row 0 at the bottom."""

import re
from collections.abc import Sequence

from selfmate.endgame.game import Game
from selfmate.endgame.rules import DIRECTIONS

DIRECTION_NAMES = (
    "up", "down", "right", "left", "up-right", "up-left", "down-right", "down-left",
)  # fmt: skip
LETTERS = "KQk"  # own king, queen, enemy king


def square_name(size: int, square: int) -> str:
    """`c2` for row 1, column 2."""
    row, column = divmod(square, size)
    return f"{'abcdefgh'[column]}{row + 1}"


def action_name(size: int, action: int) -> str:
    """`Q up-right 2` or `K left`."""
    if action >= 8 * (size - 1):
        return f"K {DIRECTION_NAMES[action - 8 * (size - 1)]}"
    direction, steps = divmod(action, size - 1)
    return f"Q {DIRECTION_NAMES[direction]} {steps + 1}"


def move_name(game: Game, state: int, action: int) -> str:
    """The piece and where it goes, as `Qb3`; every allowed move of a state has another name."""
    is_king = action >= 8 * (game.size - 1)
    direction, steps = (
        (action - 8 * (game.size - 1), 0) if is_king else divmod(action, game.size - 1)
    )
    rows, columns = DIRECTIONS[direction]
    square = int(game.pieces[state, 0 if is_king else 1])
    to = square + (rows * game.size + columns) * (steps + 1)
    return f"{'K' if is_king else 'Q'}{square_name(game.size, to)}"


def placement(size: int, pieces: Sequence[int]) -> str:
    """`k3/4/1KQ1/4`: as the first field of a FEN, on a board of `size`."""
    board = ["1"] * size**2
    for letter, square in zip(LETTERS, pieces, strict=True):
        board[square] = letter
    ranks = ["".join(board[row * size : (row + 1) * size]) for row in reversed(range(size))]
    return re.sub("1+", lambda empty: str(len(empty[0])), "/".join(ranks))


def draw_position(size: int, pieces: Sequence[int]) -> str:
    """Lines from the highest rank down, `K` and `Q` against `k`, empty squares as dots."""
    board = ["."] * size**2
    for letter, square in zip(LETTERS, pieces, strict=True):
        board[square] = letter
    ranks = [board[row * size : (row + 1) * size] for row in range(size)]
    lines = [f"{row + 1} {' '.join(rank)}" for row, rank in enumerate(ranks)]
    return "\n".join([*reversed(lines), f"  {' '.join('abcdefgh'[:size])}"])
