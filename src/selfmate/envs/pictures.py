"""Positions as pictures: text, SVG, and pixels without any graphics library."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from selfmate.rules import Board
from selfmate.rules.drawing import board_svg

RENDER_MODES = ("ansi", "svg", "rgb_array")
CELL, SCALE = 10, 4  # a square has 10 x 10 dots of 4 x 4 pixels
LIGHT, DARK = (238, 222, 190), (166, 125, 93)
WHITE, BLACK, OUTLINE = (252, 252, 252), (24, 24, 24), (60, 60, 60)

# Pieces of 8 x 8 dots.
DRAWINGS = {
    "p": "........ ...##... ..####.. ..####.. ...##... ..####.. .######. ........",
    "n": "........ ...##... ..####.. .######. .##.###. ...###.. ..#####. .######.",
    "b": "...##... ..####.. ..##.#.. ..####.. ...##... ...##... ..####.. .######.",
    "r": "........ .#.##.#. .######. ..####.. ..####.. ..####.. .######. .######.",
    "q": "#..##..# #..##..# ##.##.## ######## .######. ..####.. ..####.. .######.",
    "k": "...##... .######. ...##... .##..##. ######## .######. ..####.. .######.",
}


def render_chess(board: Board, mode: str) -> str | NDArray[np.uint8]:
    """The position as text, SVG or pixels [320, 320, 3]."""
    if mode == "ansi":
        return str(board)
    if mode == "svg":
        return board_svg(board)
    ranks = board.fen().split()[0].split("/")
    letters = "".join("." * int(c) if c.isdigit() else c for rank in ranks for c in rank)
    pieces = ((place // 8, place % 8, c) for place, c in enumerate(letters) if c != ".")
    return pixels(8, pieces)


def pixels(size: int, pieces: Iterable[tuple[int, int, str]]) -> NDArray[np.uint8]:
    """[40 size, 40 size, 3] A board with pieces at (row from the top, column, FEN letter)."""
    rows, columns = np.indices((size * CELL, size * CELL)) // CELL
    is_dark = (rows + columns) % 2 == 1
    image = np.where(is_dark[:, :, None], DARK, LIGHT).astype(np.uint8)
    for row, column, letter in pieces:
        cell = image[row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]
        shape = np.zeros((CELL, CELL), np.bool_)
        shape[1:-1, 1:-1] = [
            [dot == "#" for dot in line] for line in DRAWINGS[letter.lower()].split()
        ]
        cell[_around(shape)] = OUTLINE
        cell[shape] = WHITE if letter.isupper() else BLACK
    return image.repeat(SCALE, 0).repeat(SCALE, 1)


def _around(shape: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The shape, and the dots beside it."""
    wide = np.pad(shape, 1)
    return wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:] | shape
