"""Moves that mate at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import moves_of_actions
from selfmate.rules import Board, push_moves
from selfmate.rules.ragged import Ragged


def is_mate(
    coding: str, boards: Sequence[Board], legal: Ragged, gives_check: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """[N] Of all legal actions. Only those that give check [N] need to be tried."""
    found = np.zeros(len(legal.values), np.bool_)
    tried = np.flatnonzero(gives_check)
    after = [boards[row].copy() for row in legal.rows[tried].tolist()]
    if after:
        outcomes = push_moves(after, moves_of_actions(coding, after, legal.values[tried]))
        found[tried] = [outcome is not None and outcome.winner is not None for outcome in outcomes]
    return found
