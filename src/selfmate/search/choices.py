"""Moves chosen without looking further than one ply, for many games in one call."""

import numpy as np
from numpy.typing import NDArray

from selfmate import _core
from selfmate.encodings import Games


def random_choices(games: Games, dice: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """A legal move [B] of each game, all alike; the number in `dice` [B] decides."""
    return _core.choose_random(games, dice)


def greedy_choices(games: Games, dice: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """A move [B] of each game that wins the most material at once; dice decide among equals."""
    return _core.choose_greedy(games, dice)
