"""A net that scores moves as a player: the legal move of the highest score, or one by chance."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from selfmate.encodings import legal_actions, moves_of_actions
from selfmate.encodings.sparse import (
    MOVE_INPUTS,
    POSITION_INPUTS,
    is_white_to_move,
    legal_move_rows,
    position_rows,
)
from selfmate.nets.move_scorer import Candidates, MoveScorer, MoveScorerShape
from selfmate.nets.ragged import log_softmax
from selfmate.players.layers import Hidden
from selfmate.players.player import NO_LIMITS, Choices, Limits, Question, Thought
from selfmate.rules import Board, Outcome, push_moves, uci_text
from selfmate.rules.ragged import Ragged
from selfmate.search.value_choices import chosen_actions

CODING = "uci1968"  # has a number for every move, promotions too
# How much a look ahead weighs: a sure win is e^20 times as likely as the net alone would have it.
LOOKAHEAD_NATS = 20
HOPE = 0.5  # of a game that goes on, where nobody knows: more than a draw
Floats = NDArray[np.float32]


class ScorerSpec(BaseModel):
    """What a checkpoint's card says of the weights."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["move_scorer"] = "move_scorer"
    encoding: Literal["onehot768", "turned768", "counts"]
    hidden: Hidden
    value_head: bool

    def make_net(self) -> MoveScorer:
        return MoveScorer(
            MoveScorerShape(
                position_inputs=POSITION_INPUTS[self.encoding],
                move_inputs=MOVE_INPUTS,
                hidden=self.hidden,
                value_head=self.value_head,
            )
        )

    def candidates(self, boards: Sequence[Board]) -> Candidates:
        """All legal moves of some boards, as the net sees them."""
        moves, offsets = legal_move_rows(self.encoding, boards)
        return Candidates(
            positions=position_rows(self.encoding, boards),
            is_white=is_white_to_move(boards),
            moves=moves,
            offsets=offsets,
        )


class ScorerPlayer:
    """Plays with the net it is given, which may go on learning between its moves."""

    games_at_once = 256

    def __init__(
        self,
        name: str,
        spec: ScorerSpec,
        net: MoveScorer,
        temperature: float = 0.0,
        looks_ahead: bool = False,
    ) -> None:
        self.name = name
        self._spec, self._net = spec, net
        self._temperature, self._looks_ahead = temperature, looks_ahead

    def choose(
        self, boards: Sequence[Board], dice: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        scores, legal = self._scored(boards)
        actions = chosen_actions(scores, legal, self._temperature, dice)
        return Choices(moves_of_actions(CODING, boards, actions))

    def think(self, question: Question) -> Thought:
        temperature = question.temperature
        if temperature is None:
            temperature = self._temperature
        scores, legal = self._scored([question.board])
        dice = np.array([question.dice], np.uint64)
        chosen = chosen_actions(scores, legal, temperature, dice)
        ranks = np.lexsort((-scores, legal.values != chosen))
        moves = _moves_in_order([question.board], Ragged(legal.values[ranks], legal.offsets))
        first, *others = map(_thought, moves.tolist())
        shares = np.exp(log_softmax(torch.from_numpy(scores[ranks]), legal.offsets).numpy())
        policy = {uci_text(move): share for move, share in zip(moves, shares, strict=True)}
        return replace(first, others=tuple(others), policy=policy)

    def close(self) -> None:
        pass

    def _scored(self, boards: Sequence[Board]) -> tuple[Floats, Ragged]:
        """The score of every legal action, and these."""
        scores = self._net.scores(self._spec.candidates(boards))
        legal = Ragged(*legal_actions(CODING, boards))
        if self._looks_ahead:
            scores = scores + np.float32(LOOKAHEAD_NATS) * self._prospects(boards, legal)
        return scores, legal

    def _prospects(self, boards: Sequence[Board], legal: Ragged) -> Floats:
        """[N] What the mover can expect after each move: 1 if it mates, 0 if it draws, else what
        the value head says, or if there is none something between."""
        after = [boards[row].copy() for row in legal.rows.tolist()]
        outcomes = push_moves(after, _moves_in_order(boards, legal))
        ended = np.array([outcome is not None for outcome in outcomes])
        won = np.array([_is_won(outcome) for outcome in outcomes], np.float32)
        values = self._net.values(
            position_rows(self._spec.encoding, after), is_white_to_move(after)
        )
        if values is None:
            return np.where(ended, won, np.float32(HOPE))
        signs = np.where(is_white_to_move(boards), 1, -1).astype(np.float32)
        return np.where(ended, won, values * np.repeat(signs, legal.counts))


def _moves_in_order(boards: Sequence[Board], legal: Ragged) -> NDArray[np.uint16]:
    """[N] The moves of all actions."""
    return moves_of_actions(CODING, [boards[row] for row in legal.rows.tolist()], legal.values)


def _is_won(outcome: Outcome | None) -> bool:
    """By the mover: nobody mates himself."""
    return outcome is not None and outcome.winner is not None


def _thought(move: int) -> Thought:
    text = uci_text(move)
    return Thought(best=text, line=(text,))
