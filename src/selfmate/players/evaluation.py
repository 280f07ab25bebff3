"""What a net says about boards: a policy over the legal moves and, where it has one, a value.

One function for every kind of net, on top of the encodings that each kind takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from selfmate.encodings import encode, is_black_to_move, legal_actions, moves_of_actions
from selfmate.encodings.features import (
    ACTION_ENCODING,
    encode_packed,
    flipped_actions,
    flipped_legal_actions,
    inputs_of,
    is_white_to_move,
    position_rows,
)
from selfmate.encodings.tokens import MOVES, encode_tokens, flipped
from selfmate.nets.evaluator import make_evaluator
from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.q_net import QNet
from selfmate.nets.resnet import SeResNet
from selfmate.nets.sparse import log_softmax
from selfmate.nets.transformer import Transformer
from selfmate.rules import Board, Ragged, uci_text

Q_TEMPERATURE = 0.1  # the policy of a Q-net is softmax(Q / 0.1), as in its training

Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class Evaluations:
    """What a net says about boards. All legal moves stand end to end: those of board i are
    `moves[offsets[i]:offsets[i + 1]]`. A Q-net does not tell promotions apart: of each it has the
    queen's."""

    moves: NDArray[np.uint16]  # [N]
    probabilities: Floats  # [N] they sum to 1 for each board
    offsets: NDArray[np.int64]  # [B + 1]
    values_side_to_move: Floats | None = None  # [B] expected result, -1 to 1
    wdl_side_to_move: Floats | None = None  # [B, 3] win, draw, loss

    def policy_of(self, board: int) -> dict[str, float]:
        """The probabilities of one board's legal moves, likeliest first."""
        return ranked(self.moves, self.probabilities, self.offsets, board)


def ranked(
    moves: NDArray[np.uint16], numbers: NDArray[Any], offsets: NDArray[np.int64], board: int
) -> dict[str, Any]:
    """Numbers of one board's moves by UCI text, largest first."""
    rows = slice(int(offsets[board]), int(offsets[board + 1]))
    order = np.argsort(-numbers[rows], kind="stable")
    texts = [uci_text(code) for code in moves[rows][order].tolist()]
    return dict(zip(texts, numbers[rows][order].tolist(), strict=True))


@singledispatch
def evaluate(net: Any, boards: Sequence[Board]) -> Evaluations:
    """Policy and value of many boards at once. None of the games may be over."""
    raise ValueError(f"a {type(net).__name__} cannot be asked about boards")


@evaluate.register
def _(net: SeResNet, boards: Sequence[Board]) -> Evaluations:
    wdl, logits = make_evaluator(net)(encode("planes68", boards))
    legal = Ragged(*legal_actions("az4672", boards))
    return Evaluations(
        moves=moves_of_actions("az4672", _board_of_each(boards, legal), legal.values),
        probabilities=_softmax(logits[legal.rows, legal.values], legal),
        offsets=legal.offsets,
        values_side_to_move=wdl[:, 0] - wdl[:, 2],
        wdl_side_to_move=wdl,
    )


@evaluate.register
def _(net: Transformer, boards: Sequence[Board]) -> Evaluations:
    batch = encode_tokens(list(boards))
    legal, logits = batch.legal, net.logits(batch.tokens)
    return Evaluations(
        moves=MOVES[flipped(legal.values, batch.black[legal.rows])],
        probabilities=_softmax(logits[legal.rows, legal.values], legal),
        offsets=legal.offsets,
    )


@evaluate.register
def _(net: QNet, boards: Sequence[Board]) -> Evaluations:
    black = is_black_to_move(boards)
    legal = flipped_legal_actions(boards, black)
    values = net.values(inputs_of(encode_packed(boards)), legal)
    actions = flipped_actions(legal.values, black[legal.rows])
    return Evaluations(
        moves=moves_of_actions(ACTION_ENCODING, _board_of_each(boards, legal), actions),
        probabilities=_softmax(values / np.float32(Q_TEMPERATURE), legal),
        offsets=legal.offsets,
        values_side_to_move=np.maximum.reduceat(values, legal.offsets[:-1]),
    )


@evaluate.register
def _(net: MoveScorer, boards: Sequence[Board]) -> Evaluations:
    legal = Ragged(*legal_actions("uci1968", boards))
    white = is_white_to_move(boards)
    values = net.values(position_rows(net.config.encoding, boards), white)  # in White's view
    return Evaluations(
        moves=moves_of_actions("uci1968", _board_of_each(boards, legal), legal.values),
        probabilities=_softmax(net.scores(net.config.candidates(boards)), legal),
        offsets=legal.offsets,
        values_side_to_move=None if values is None else np.where(white, values, -values),
    )


def _board_of_each(boards: Sequence[Board], legal: Ragged) -> list[Board]:
    """[N] The board of every legal move."""
    return [boards[row] for row in legal.rows.tolist()]


def _softmax(scores: Floats, legal: Ragged) -> Floats:
    logs: Floats = log_softmax(torch.from_numpy(scores), legal.offsets).numpy()
    return np.exp(logs)
