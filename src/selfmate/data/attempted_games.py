"""Games of a net that found the rules out by trying: a row a position, with all that was tried."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.data.chunk import Chunk
from selfmate.data.endings import CODES
from selfmate.encodings.sentences import (
    Sentences,
    sentences_of_stored,
    turned_actions_of_stored,
)
from selfmate.encodings.stored import Stored, is_white_to_move
from selfmate.rules.ragged import Ragged

Rows = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class AttemptedGames:
    """Actions are those of uci1968 as the mover sees them."""

    stored: Stored  # [N, 63]
    played: NDArray[np.int32]  # [N] legal
    tried: Ragged  # illegal ones, before it
    results_side_to_move: NDArray[np.int8]  # [N] 1, 0, -1; 0 for games that were cut as well
    moves_left: NDArray[np.int32]  # [N] of the mover to the end, this one included; 0: unknown

    def __len__(self) -> int:
        return len(self.played)

    def take(self, rows: Rows) -> "AttemptedGames":
        """Some rows, in this order."""
        return AttemptedGames(
            stored=self.stored[rows],
            played=self.played[rows],
            tried=self.tried.take(rows),
            results_side_to_move=self.results_side_to_move[rows],
            moves_left=self.moves_left[rows],
        )

    def sentences(self) -> Sentences:
        return sentences_of_stored(self.stored)


def games_of_masters(chunk: Chunk, *, by_mate: bool) -> AttemptedGames:
    """Nobody tried anything illegal. How far the end was is known of games that ended in mate, or
    is taken of all."""
    white = is_white_to_move(chunk.stored)
    left = (chunk.plies_left.astype(np.int32) + 1) // 2
    if by_mate:
        left = np.where(chunk.endings == CODES["checkmate"], left, 0)
    return AttemptedGames(
        stored=chunk.stored,
        played=turned_actions_of_stored(chunk.stored, chunk.moves),
        tried=Ragged(np.zeros(0, np.int32), np.zeros(len(chunk) + 1, np.int64)),
        results_side_to_move=np.where(white, chunk.results, -chunk.results).astype(np.int8),
        moves_left=left.astype(np.int32),
    )
