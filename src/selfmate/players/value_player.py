"""A net that does not search: it plays the move after which it likes its side best."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import encode, legal_actions, moves_of_actions
from selfmate.nets.evaluator import make_evaluator
from selfmate.nets.se_resnet import SeResNet
from selfmate.players.judged_move import judged_move
from selfmate.players.player import NO_LIMITS, Choices, Limits, Question, Thought
from selfmate.rules import Board, push_moves
from selfmate.rules.ragged import Ragged
from selfmate.search.value_choices import chosen_actions

CODING = "uci1968"  # has a number for every move, promotions too
ROWS = 256  # positions that are looked at in one go
MATE = 2.0  # worth more than anything a net can say
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Prospects:
    """All legal moves of some games, and the mover's chances after each."""

    moves: Ragged
    wdl: Floats  # [N, 3]
    is_mate: NDArray[np.bool_]  # [N]

    @property
    def values(self) -> Floats:
        """[N]"""
        return np.where(self.is_mate, np.float32(MATE), self.wdl[:, 0] - self.wdl[:, 2])


class ValuePlayer:
    """Plays with the net it is given; when that has learned on, `refresh` takes it over."""

    games_at_once = 64

    def __init__(self, name: str, net: SeResNet, temperature: float = 0.0) -> None:
        self.name = name
        self._evaluate, self._temperature = make_evaluator(net), temperature

    def choose(
        self, boards: Sequence[Board], dice: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        found = self._prospects(boards)
        chosen = chosen_actions(found.values, found.moves, self._temperature, dice)
        return Choices(chosen.astype(np.uint16))

    def think(self, question: Question) -> Thought:
        temperature = question.temperature
        if temperature is None:
            temperature = self._temperature
        found, dice = self._prospects([question.board]), np.array([question.dice], np.uint64)
        moves, values = found.moves.values, found.values
        chosen = chosen_actions(values, found.moves, temperature, dice)
        ranks = np.lexsort((-values, moves != chosen)).tolist()
        first, *others = (
            judged_move([int(moves[i])], found.wdl[i], int(found.is_mate[i]), len(moves))
            for i in ranks
        )
        return replace(first, others=tuple(others))

    def refresh(self) -> None:
        """Takes over what the net has learned. Not while it plays."""
        self._evaluate.refresh()

    def close(self) -> None:
        pass

    def _prospects(self, boards: Sequence[Board]) -> Prospects:
        """What follows an end of the game is known; else the net says it."""
        legal = Ragged(*legal_actions(CODING, boards))
        before = [boards[row] for row in legal.rows.tolist()]
        moves = moves_of_actions(CODING, before, legal.values)
        after = [board.copy() for board in before]
        outcomes = push_moves(after, moves)
        is_over = np.array([outcome is not None for outcome in outcomes])
        is_mate = np.array([bool(outcome and outcome.winner) for outcome in outcomes])
        wdl = np.stack([is_mate, is_over & ~is_mate, np.zeros_like(is_mate)], axis=1)
        wdl = wdl.astype(np.float32)
        (going,) = np.nonzero(~is_over)
        for rows in np.split(going, range(ROWS, len(going), ROWS)):
            if len(rows):
                planes = encode("planes68", [after[row] for row in rows.tolist()])
                wdl[rows] = self._evaluate(planes)[0][:, ::-1]  # the opponent is to move
        return Prospects(Ragged(moves.astype(np.int32), legal.offsets), wdl, is_mate)
