"""Where games to learn from start: openings for variety, and endgames that are won and must be
won."""

from dataclasses import dataclass

import numpy as np

from selfmate.arena.openings import shipped_openings
from selfmate.data.endgames import won_endgame
from selfmate.rules import Board


@dataclass(frozen=True, kw_only=True)
class Starts:
    openings: bool  # one of the shipped ones each; else the usual start
    endgames: float  # share of games from won endgames instead

    def boards(self, count: int, dice: np.random.Generator) -> list[Board]:
        boards = self._opened(count, dice)
        seed, is_endgame = int(dice.integers(2**63)), dice.random(count) < self.endgames
        for number in np.flatnonzero(is_endgame).tolist():
            boards[number] = Board(won_endgame(seed, number))
        return boards

    def _opened(self, count: int, dice: np.random.Generator) -> list[Board]:
        if not self.openings:
            return [Board() for _ in range(count)]
        openings = shipped_openings()
        return [openings[i].board() for i in dice.integers(len(openings), size=count)]
