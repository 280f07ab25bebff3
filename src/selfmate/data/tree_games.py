"""Games that a tree search played with itself, a row a position, with what the search said."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from selfmate.data.page import Page
from selfmate.encodings.stored import STORED_BYTES, Stored

Rows = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class TreeGames(Page):
    """P positions with N legal moves in all, those of a position together."""

    stored: Stored  # [P, STORED_BYTES]
    results_side_to_move: NDArray[np.int8]  # [P] how the game ended: 1, 0, -1
    wdl_side_to_move: NDArray[np.float16]  # [P, 3] what the search expected of its best move
    legal_counts: NDArray[np.uint8]  # [P]
    actions: NDArray[np.uint16]  # [N] of az4672
    shares: NDArray[np.float16]  # [N] how often the search would play each; a row's sum is 1

    def __post_init__(self) -> None:
        """ValueError says what cannot be: pages come from disk."""
        positions = len(self.stored)
        if (
            self.stored.shape != (positions, STORED_BYTES)
            or {len(self.results_side_to_move), len(self.legal_counts)} != {positions}
            or self.wdl_side_to_move.shape != (positions, 3)
            or len(self.actions) != len(self.shares)
            or self.legal_counts.sum(dtype=np.int64) != len(self.actions)
        ):
            raise ValueError("the arrays of these games are not of matching lengths")

    def __len__(self) -> int:
        return len(self.stored)

    @cached_property
    def offsets(self) -> Rows:
        """[P + 1] Where the moves of each position begin."""
        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self.legal_counts, out=offsets[1:])
        return offsets
