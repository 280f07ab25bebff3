"""What moves end, by the rules alone. B is the number of boards, N that of their moves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import selfmate._core as core
from selfmate.encodings.features import QUEEN_OR_NONE
from selfmate.rules import Board, Ragged

NO_ENDING, MATE, DRAW = range(3)  # as core/search/endings.h has them

Endings = NDArray[np.uint8]


@dataclass(frozen=True)
class MoveEndings:
    """What all legal moves of some boards end."""

    moves: Ragged  # move codes
    endings: Endings  # [N]

    def of(self, moves: Ragged) -> "MoveEndings":
        """Of moves of the same boards, in any order; not all need be there."""
        ours, theirs = _keys(self.moves), _keys(moves)
        order = np.argsort(ours)
        places = order[np.searchsorted(ours, theirs, sorter=order)]
        return MoveEndings(moves, self.endings[places])

    def by_action(self) -> "tuple[MoveEndings, NDArray[np.int64]]":
        """One move for each action of from_to4096, which does not tell promotions apart: the queen,
        and beside her a piece that mates where she does not. With the places [M] of their actions
        among the legal ones."""
        codes = self.moves.values
        stands = np.isin(codes >> 12, QUEEN_OR_NONE)
        places = np.cumsum(stands) - 1  # [N] the queen is generated first
        queens = np.flatnonzero(stands)[places]  # [N] the move that stands for each one's action
        mates = (self.endings == MATE) & (self.endings[queens] != MATE)
        kept = np.flatnonzero(stands | mates)
        moves = Ragged(codes[kept], np.searchsorted(kept, self.moves.offsets))
        return MoveEndings(moves, self.endings[kept]), places[kept]


def move_endings(boards: Sequence[Board]) -> MoveEndings:
    """Of all legal moves, in the order of `legal_actions`."""
    moves, endings, offsets = core.move_endings(boards)
    return MoveEndings(Ragged(moves.astype(np.int32), offsets), endings)


def _keys(moves: Ragged) -> NDArray[np.int64]:
    """[N] Different for all moves of all boards."""
    keys: NDArray[np.int64] = (moves.rows << 16) | moves.values
    return keys
