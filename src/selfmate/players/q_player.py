"""A Q-net as a player: the legal move of the highest value, or one by chance."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from selfmate.encodings import CODINGS, is_black_to_move, moves_of_actions
from selfmate.encodings.packed import (
    CODING,
    INPUTS,
    encode_packed,
    inputs_of,
    legal_turned,
    turned_actions,
)
from selfmate.nets.q_net import QNet, QNetShape
from selfmate.players.layers import Hidden
from selfmate.players.pawns import pawns_of
from selfmate.players.player import NO_LIMITS, Choices, Limits, Question, Thought
from selfmate.players.scoring import Scoring
from selfmate.rules import Board, uci_text
from selfmate.rules.ragged import Ragged
from selfmate.search.teacher import MoveScores
from selfmate.search.value_choices import chosen_actions

ACTIONS = CODINGS[CODING].size


class QPlayerSpec(BaseModel):
    """What a checkpoint's card says of the weights."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["q_net"] = "q_net"
    hidden: Hidden
    dueling: bool

    def make_net(self) -> QNet:
        shape = QNetShape(inputs=INPUTS, hidden=self.hidden, actions=ACTIONS, dueling=self.dueling)
        return QNet(shape)


class QPlayer:
    """Plays with the net it is given, which may go on learning between its moves."""

    games_at_once = 256

    def __init__(self, name: str, net: QNet, temperature: float = 0.0) -> None:
        self.name = name
        self._net, self._temperature = net, temperature

    def choose(
        self, boards: Sequence[Board], dice: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        black = is_black_to_move(boards)
        values, legal = self._judged(boards, black)
        actions = chosen_actions(values, legal, self._temperature, dice)
        return Choices(moves_of_actions(CODING, boards, turned_actions(actions, black)))

    def think(self, question: Question) -> Thought:
        temperature = question.temperature
        if temperature is None:
            temperature = self._temperature
        black = is_black_to_move([question.board])
        values, legal = self._judged([question.board], black)
        dice = np.array([question.dice], np.uint64)
        chosen = chosen_actions(values, legal, temperature, dice)
        ranks = np.lexsort((-values, legal.values != chosen))
        actions = turned_actions(legal.values[ranks], black)
        moves = moves_of_actions(CODING, [question.board] * len(actions), actions)
        first, *others = map(_thought, moves.tolist(), pawns_of(values[ranks]).tolist())
        return replace(first, others=tuple(others))

    def scoring(self, best: int) -> Scoring:
        return Scoring(
            name=self.name,
            score=self._scores,
            games_at_once=self.games_at_once,
            close=self.close,
        )

    def close(self) -> None:
        pass

    def _scores(self, boards: Sequence[Board]) -> MoveScores:
        """Of every legal action: of promotions the queen's, for the net cannot tell them apart."""
        black = is_black_to_move(boards)
        values, legal = self._judged(boards, black)
        actions = turned_actions(legal.values, black[legal.rows])
        asked = [boards[row] for row in legal.rows.tolist()]
        return MoveScores(
            moves=moves_of_actions(CODING, asked, actions),
            centipawns=np.rint(100 * pawns_of(values)).astype(np.int32),
            offsets=legal.offsets,
        )

    def _judged(
        self, boards: Sequence[Board], black: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], Ragged]:
        """The value of every legal action, and these, all from the mover's side."""
        legal = legal_turned(boards, black)
        return self._net.values(inputs_of(encode_packed(boards)), legal), legal


def _thought(move: int, score_pawns: float) -> Thought:
    text = uci_text(move)
    return Thought(best=text, line=(text,), score_pawns=score_pawns)
