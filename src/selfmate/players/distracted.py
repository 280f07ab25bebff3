"""A player that now and then moves at random: how a ladder gets rungs between its players."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from selfmate.players.player import NO_LIMITS, Choices, Limits, Player, Question, Thought
from selfmate.rules import Board, uci_text
from selfmate.search.choices import random_choices


class DistractedPlayer:
    """Another player, but in `percent` of its moves any legal move."""

    def __init__(self, name: str, player: Player, percent: int) -> None:
        self.name = name
        self.games_at_once = player.games_at_once
        self._player = player
        self._percent = percent

    def choose(
        self, boards: Sequence[Board], dice: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        moves = random_choices(boards, dice)
        attentive = np.flatnonzero(~self._is_distracted(dice))
        if not len(attentive):
            return Choices(moves)
        chosen = self._player.choose([boards[int(i)] for i in attentive], dice[attentive], limits)
        moves[attentive] = chosen.moves
        return Choices(moves, _at(attentive, chosen.forfeits), _at(attentive, chosen.comments))

    def think(self, question: Question) -> Thought:
        number = np.array([question.dice], np.uint64)
        if not self._is_distracted(number)[0]:
            return self._player.think(question)
        best = uci_text(int(random_choices([question.board], number)[0]))
        return Thought(best=best, line=(best,))

    def close(self) -> None:
        self._player.close()

    def _is_distracted(self, dice: NDArray[np.uint64]) -> NDArray[np.bool_]:
        # Choices among moves go by a number's high bits, this by its remainder.
        distracted: NDArray[np.bool_] = dice % np.uint64(100) < np.uint64(self._percent)
        return distracted


def _at(rows: NDArray[np.int64], texts: Mapping[int, str]) -> dict[int, str]:
    """What was said of the boards in these rows."""
    return {int(rows[i]): text for i, text in texts.items()}
