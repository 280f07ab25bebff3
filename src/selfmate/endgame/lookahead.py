"""One move ahead, in all states at once: what states are worth from what may follow them."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from selfmate.endgame.game import DRAW, MATE, Game

Floats = NDArray[np.float64]


class Lookahead:
    """The tables of a game, arranged for sweeps over all of them."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.choices = game.afterstates[game.allowed]  # all allowed moves, state by state
        self.choice_counts = game.allowed.sum(1)
        self._first_choice = np.cumsum(self.choice_counts) - self.choice_counts
        real = np.arange(8) < game.reply_counts[:, None]
        self.replies = game.replies[real]  # all replies, afterstate by afterstate
        self._real = real.astype(np.float64)

    def mean_reply(self, values: Floats, *, mate: float, draw: float) -> Floats:
        """What afterstates are worth when the enemy moves at random  # [S] -> [P]"""
        after = np.einsum("pr,pr->p", values[self.game.replies], self._real)
        after /= np.maximum(self.game.reply_counts, 1)
        return self._with_endings(after, mate, draw)

    def highest_reply(self, values: Floats, *, mate: float, draw: float) -> Floats:
        """What afterstates are worth when the enemy picks the highest value  # [S] -> [P]"""
        return self._with_endings(values[self.game.replies].max(1), mate, draw)

    def highest_choice(self, after: Floats) -> Floats:
        """What states are worth when the agent picks the highest value  # [P] -> [S]"""
        return np.maximum.reduceat(after[self.choices], self._first_choice)

    def lowest_choice(self, after: Floats) -> Floats:
        """What states are worth when the agent picks the lowest value  # [P] -> [S]"""
        return np.minimum.reduceat(after[self.choices], self._first_choice)

    def _with_endings(self, after: Floats, mate: float, draw: float) -> Floats:
        after[self.game.endings == MATE] = mate
        after[self.game.endings == DRAW] = draw
        return after


@cache
def look_ahead(game: Game) -> Lookahead:
    """The sweeps of a game; made once and kept."""
    return Lookahead(game)
