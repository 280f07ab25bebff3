"""Memories to draw from, and what was drawn."""

import numpy as np
from numpy.typing import NDArray

from selfmate.data.moves import Moves
from selfmate.data.priorities import Priority
from selfmate.data.replay import Replay, Shares

MAIN = Shares(main=1, high=0, recent=0)
PRIORITY = Priority(alpha=0.6, beta=0.4, epsilon=0.01)


def every_row(replay: Replay) -> NDArray[np.int64]:
    """Every row that can be drawn, once."""
    return np.unique(replay.draw(np.random.default_rng(0), 4000).rows)


def numbers_of(moves: Moves) -> list[int]:
    """Which of the made-up rows these are."""
    return [int.from_bytes(bytes(state[:4]), "big") for state in moves.states]
