"""The exact tables of king and queen, rook or two bishops against king, and the scores of moves in
these endgames.

They have no pawns, so a table serves both colours, and squares may be seen from the side to move.
"""

from collections.abc import Sequence
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

import selfmate._core as core
from selfmate.encodings import encode
from selfmate.encodings.records import (
    EMPTY,
    ENEMY_BISHOP,
    ENEMY_KING,
    ENEMY_QUEEN,
    ENEMY_ROOK,
    MOVES,
    OWN_BISHOP,
    OWN_KING,
    OWN_QUEEN,
    OWN_ROOK,
    SQUARES,
    encode_tokens,
)
from selfmate.rules import Board
from selfmate.searches.teacher import MATE_CENTIPAWNS, MoveScores

NOT_WON = 255
Piece = Literal["queen", "rook", "bishops"]
PIECES: tuple[Piece, ...] = ("queen", "rook", "bishops")
OWN_PIECE = {"queen": OWN_QUEEN, "rook": OWN_ROOK, "bishops": OWN_BISHOP}
ENEMY_PIECE = {"queen": ENEMY_QUEEN, "rook": ENEMY_ROOK, "bishops": ENEMY_BISHOP}
COUNTS = {"queen": 1, "rook": 1, "bishops": 2}

Table = NDArray[np.uint8]
Numbers = NDArray[np.int64]


@cache
def endgame_table(pieces: Piece) -> Table:
    """[2, 64, 64, 64], with two bishops [2, 64, 64, 64, 64] Plies to mate, indexed by side to move
    (0: the stronger side), the stronger side's king, its pieces, and the bare king; NOT_WON for
    positions that are not won or illegal."""
    table = core.endgame_table(pieces)
    table.flags.writeable = False
    return table


def squares_of(boards: Sequence[Board], piece: int) -> list[Numbers]:
    """The squares [B] of each of the pieces of a kind, given as a token, in the view of the side to
    move. All boards have as many."""
    _, squares = np.nonzero(encode("tokens78", boards)[:, SQUARES] == piece)
    return list(squares.reshape(len(boards), -1).T)


def rows_by_table(boards: Sequence[Board]) -> dict[tuple[Piece, bool], Numbers]:
    """The rows of the boards that are in a table, by its piece and whether the stronger side is to
    move."""
    tokens = encode("tokens78", boards)[:, SQUARES]
    pieces = (tokens != EMPTY).sum(1)
    found = {}
    for piece in PIECES:
        for token, is_stronger in ((OWN_PIECE[piece], True), (ENEMY_PIECE[piece], False)):
            count = COUNTS[piece]
            is_here = (pieces == 2 + count) & ((tokens == token).sum(1) == count)
            found[piece, is_stronger] = np.flatnonzero(is_here)
    return found


def exact_scores(boards: Sequence[Board], piece: Piece, *, is_stronger: bool) -> MoveScores:
    """All legal moves of boards in one table, none of which is over; `is_stronger`: the side with
    the pieces is to move. A mate on the n-th ply is 10000 - n, everything that is not won a draw.
    """
    tokens = encode_tokens(boards)
    rows, codes = tokens.legal.rows, MOVES[tokens.legal.values].astype(np.int64)
    origins, destinations = codes & 63, codes >> 6 & 63

    def after(squares: Numbers) -> Numbers:
        """[N] Where a piece stands after each move."""
        return np.where(squares[rows] == origins, destinations, squares[rows])

    kings = OWN_KING if is_stronger else ENEMY_KING, ENEMY_KING if is_stronger else OWN_KING
    piece_token = (OWN_PIECE if is_stronger else ENEMY_PIECE)[piece]
    (king,), (lone,) = (squares_of(boards, token) for token in kings)
    places = [after(squares) for squares in (king, *squares_of(boards, piece_token), lone)]
    # A king on the piece's square has captured it; the table has that as not won.
    plies = endgame_table(piece)[1 if is_stronger else 0][*places].astype(np.int32)
    mates = (1 if is_stronger else -1) * (MATE_CENTIPAWNS - (plies + 1))
    black = np.repeat(tokens.black, tokens.legal.counts)
    return MoveScores(
        moves=np.where(black, codes ^ (56 | 56 << 6), codes).astype(np.uint16),
        centipawns=np.where(plies == NOT_WON, 0, mates).astype(np.int32),
        offsets=tokens.legal.offsets,
    )
