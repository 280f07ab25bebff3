"""King and queen, or king and rook, against king: exact distances to mate, for either side."""

from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from selfmate import _core

NOT_WON = 255
Piece = Literal["queen", "rook"]
Table = NDArray[np.uint8]


@cache
def endgame_table(piece: Piece) -> Table:
    """[2, 64, 64, 64] Plies to mate by side to move (0: the strong one), its king, its piece and
    the bare king; NOT_WON where there is nothing to win or no such position."""
    table = _core.endgame_table(piece)
    table.flags.writeable = False
    return table
