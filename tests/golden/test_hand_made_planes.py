"""The attack, semantic and tactical planes on positions drawn by hand.

Left the board, White to move; right the plane, with `.` for 0 and n for n / whole. Every drawing
is also tried with the colours changed and Black to move, which must give the same planes.
"""

from dataclasses import dataclass

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.encodings import encode
from selfmate.rules import Board


@dataclass(frozen=True, kw_only=True)
class Drawing:
    title: str
    plane: int
    whole: int = 1
    drawn: str


DRAWINGS = [
    Drawing(
        title="squares attacked by own pieces: own-occupied ones count, beyond them nothing",
        plane=58,
        drawn="""
        . . . . k . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . b . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . 1 .
        . . . . . . . P    . . . . . . . 1
        . . . . . . . .    1 . 1 . . . . 1
        . P . . . . . .    . . . 1 1 1 . 1
        . . . . K . . R    . . . 1 1 1 1 .
        """,
    ),
    Drawing(
        title="squares attacked by the enemy",
        plane=59,
        drawn="""
        . . . . k . . .    1 . . 1 1 1 . .
        . . . . . . . .    . 1 . 1 1 1 . .
        . . b . . . . .    . . . . . . . .
        . . . . . . . .    . 1 . 1 . . . .
        . . . . . . . P    1 . . . 1 . . .
        . . . . . . . .    . . . . . 1 . .
        . P . . . . . .    . . . . . . 1 .
        . . . . K . . R    . . . . . . . 1
        """,
    ),
    Drawing(
        title="own pieces that attack the enemy king's zone; the bishop on d3 is blocked by g6",
        plane=60,
        drawn="""
        . . . . . . k .    . . . . . . . .
        Q . . . . p p p    1 . . . . . . .
        . . . . . . P .    . . . . . . 1 .
        . . . . N . . .    . . . . 1 . . .
        . . . . . . . .    . . . . . . . .
        . B . B . . . .    . 1 . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . R . K R    . . . . . . . 1
        """,
    ),
    Drawing(
        title="the own king counts as an attacker of the enemy king's zone",
        plane=60,
        drawn="""
        . . . . k . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . K . . .    . . . . 1 . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . P . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        """,
    ),
    Drawing(
        title="own pieces other than the king that attack its zone, f1 to h2",
        plane=61,
        drawn="""
        . . . . . . k .    . . . . . . . .
        Q . . . . p p p    1 . . . . . . .
        . . . . . . P .    . . . . . . . .
        . . . . N . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . B . B . . . .    . . . 1 . . . .
        . . . . . . . .    . . . . . . . .
        . . . . R . K R    . . . . 1 . . 1
        """,
    ),
    Drawing(
        title="knight mobility: own pieces take squares away, enemies do not",
        plane=62,
        whole=8,
        drawn="""
        . . . . . . . k    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . p . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . N . . . .    . . . 7 . . . .
        . . . . . . . .    . . . . . . . .
        . . P . . . . .    . . . . . . . .
        N . . . . . . K    1 . . . . . . .
        """,
    ),
    Drawing(
        title="bishop mobility",
        plane=63,
        whole=13,
        drawn="""
        . . . . k . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . p . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . B . . . .    . . . 9 . . . .
        . . . . . . . .    . . . . . . . .
        . P . . . . . .    . . . . . . . .
        . . B . . . . K    . . 5 . . . . .
        """,
    ),
    Drawing(
        title="passed pawns: the pawn beside g5 and the one behind a5 do not stop them",
        plane=64,
        drawn="""
        . . . . k . . .    . . . . . . . .
        . . . . p . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        P . . . . . P p    1 . . . . . 1 .
        . p . P . . . .    . . . . . . . .
        P . . . . . . .    . . . . . . . .
        . . . . . . . P    . . . . . . . .
        . . . . K . . .    . . . . . . . .
        """,
    ),
    Drawing(
        title="isolated pawns: doubled ones stay alone, g5 and h2 have each other",
        plane=65,
        drawn="""
        . . . . k . . .    . . . . . . . .
        . . . . p . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        P . . . . . P p    1 . . . . . . .
        . p . P . . . .    . . . 1 . . . .
        P . . . . . . .    1 . . . . . . .
        . . . . . . . P    . . . . . . . .
        . . . . K . . .    . . . . . . . .
        """,
    ),
    Drawing(
        title="weak squares: in the own half and attacked by no own piece",
        plane=66,
        drawn="""
        . . . . k . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . . .    . 1 1 1 1 1 1 1
        . . . . . . . .    . 1 1 . 1 . 1 1
        . . . . P . . .    . 1 1 . . . 1 1
        R . . . K . . .    1 . . . . . 1 1
        """,
    ),
    Drawing(
        title="centre control: five attack d4 and count as four, the queen is behind the rook",
        plane=67,
        whole=4,
        drawn="""
        . . . . . . k .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . . .    . . . 1 2 . . .
        . . . . . . . .    . . . 4 . . . .
        . . . . P N . .    . . . . . . . .
        . B N R . . . .    . . . . . . . .
        . . . Q . . K .    . . . . . . . .
        """,
    ),
    Drawing(
        title="an own piece hangs if it loses an exchange: f2 against queen and bishop, not d4",
        plane=82,
        drawn="""
        . . . . k . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . q . . . . . .    . . . . . . . .
        . . b . . . . .    . . . . . . . .
        . . . P . . . .    . . . . . . . .
        . . P . . . . .    . . . . . . . .
        . . . . . P . .    . . . . . . . .
        . . . . K . . .    . . . . . . . .
        """,
    ),
    Drawing(
        title="without the pawn on c3 both pawns are lost by exchanges",
        plane=82,
        drawn="""
        . . . . k . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . q . . . . . .    . . . . . . . .
        . . b . . . . .    . . . . . . . .
        . . . P . . . .    . . . 1 . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . P . .    . . . . . . . .
        . . . . K . . .    . . . . . . . .
        """,
    ),
    Drawing(
        title="a rook that a bishop attacks hangs although it is protected; the pawn does not",
        plane=83,
        drawn="""
        . . . . . . k .    . . . . . . . .
        . . . . . . p .    . . . . . . . .
        . . . . . r . .    . . . . . 1 . .
        p . . . . . . .    . . . . . . . .
        . p . . . . . .    . . . . . . . .
        . . B . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . K .    . . . . . . . .
        """,
    ),
    Drawing(
        title="attackers of a square are counted; batteries count only their first piece",
        plane=80,
        whole=4,
        drawn="""
        . . . . . . k .    . . . 1 . . . .
        . . . . . . . .    . . . 1 . . . .
        . . . . . . . .    . . . 1 . . . .
        . . . . . . . .    . . . 1 . . . .
        . . . . . . . .    . . . 1 . . . .
        . . . . . . . .    . . . 1 . . . .
        . . . R . . . .    1 1 1 1 1 2 2 2
        . . . R . . K .    1 1 1 1 1 2 1 1
        """,
    ),
    Drawing(
        title="an own piece that is pinned",
        plane=84,
        drawn="""
        . . . . r . k .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        b . . . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . N . . .    . . . . 1 . . .
        . . . N . . . .    . . . 1 . . . .
        . . . . K . . .    . . . . . . . .
        """,
    ),
    Drawing(
        title="from where a bishop or queen gives check; a piece ends the line",
        plane=88,
        drawn="""
        . . . . . . k .    . . . . . . . .
        . . . . . . . p    . . . . . 1 . 1
        . . . . . . . .    . . . . 1 . . .
        . . . . . . . .    . . . 1 . . . .
        . . P . . . . .    . . 1 . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . K .    . . . . . . . .
        """,
    ),
    Drawing(
        title="an own piece whose move discovers a check",
        plane=95,
        drawn="""
        . . . . k . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . N . . .    . . . . 1 . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . . . . .    . . . . . . . .
        . . . . R . K .    . . . . . . . .
        """,
    ),
]


def board_of(drawing: Drawing) -> chess.Board:
    board = chess.Board(None)
    for rank, line in zip(range(7, -1, -1), drawing.drawn.split("\n")[1:9], strict=True):
        for file, symbol in enumerate(line.split()[:8]):
            if symbol != ".":
                board.set_piece_at(chess.square(file, rank), chess.Piece.from_symbol(symbol))
    assert board.is_valid(), drawing.title
    return board


def plane_of(drawing: Drawing) -> NDArray[np.float32]:
    """[8, 8], first rank first, as the encoders write it."""
    rows = [line.split()[8:] for line in drawing.drawn.split("\n")[1:9]]
    numbers = [[0 if cell == "." else int(cell) for cell in row] for row in reversed(rows)]
    return np.array(numbers, np.float32) / np.float32(drawing.whole)


@pytest.mark.parametrize("drawing", DRAWINGS, ids=lambda drawing: drawing.title)
def test_plane_is_as_drawn(drawing: Drawing) -> None:
    board = board_of(drawing)
    for side in (board, board.mirror()):
        planes = encode("planes96", [Board(side.fen())])[0]
        np.testing.assert_array_equal(planes[drawing.plane], plane_of(drawing))


def test_colours_change_only_the_side_to_move() -> None:
    for drawing in DRAWINGS:
        board = board_of(drawing)
        white, black = encode("planes96", [Board(board.fen()), Board(board.mirror().fen())])
        assert np.argwhere(white != black)[:, 0].tolist() == [48] * 64
