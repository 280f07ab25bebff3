"""What nets say about boards: policy and value of many at once, for every kind of net.

A torch Q-net or move scorer may be trained further between calls. A `CoreNet` is computed in the
core, without torch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import encode, is_black_to_move, legal_actions, moves_of_actions
from selfmate.encodings.features import (
    ACTION_ENCODING,
    Candidates,
    Packed,
    encode_packed,
    flipped_actions,
    flipped_legal_actions,
    is_white_to_move,
    position_rows,
)
from selfmate.nets.config import (
    POLICY_TEMPERATURE,
    MoveScorerConfig,
    QNetConfig,
    ResNetConfig,
    SparseNetConfig,
    TransformerConfig,
)
from selfmate.nets.evaluator import (
    CoreMoveScorer,
    CoreNet,
    NetOf,
    QNetEvaluator,
    SparseNetEvaluator,
    TransformerEvaluator,
    make_evaluator,
)
from selfmate.nets.softmax import probabilities
from selfmate.rules import Board, Ragged, SparseRows, uci_text

RESNET_ACTION_ENCODING = "az4672"
SCORER_ACTION_ENCODING = "uci1968"  # has an index for every move, promotions included

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


class QValueNet(Protocol):
    """A Q-net in torch or in an ONNX file."""

    def values(self, positions: Packed, asked: Ragged) -> Floats:
        """[N] The Q-values of actions of packed positions [B, 107], both in the mover's view."""


class MoveScoreNet(Protocol):
    """A move scorer in torch or in an ONNX file."""

    def scores(self, asked: Candidates) -> Floats:
        """[N] The scores of all moves."""

    def values(self, positions: SparseRows, is_white: NDArray[np.bool_]) -> Floats | None:
        """[B] In White's view; None without a value head."""


def evaluate(net: Any, boards: Sequence[Board]) -> Evaluations:
    """Policy and value of many boards at once, of a torch module or a `CoreNet`. None of the games
    may be over."""
    kind: Any = getattr(getattr(net, "config", None), "kind", None)
    if kind not in EVALUATIONS:
        raise ValueError(f"a {type(net).__name__} cannot be asked about boards")
    return EVALUATIONS[kind](net, boards)


def _evaluate_resnet(net: NetOf[ResNetConfig], boards: Sequence[Board]) -> Evaluations:
    wdl, logits = make_evaluator(net)(encode("planes96", boards))
    legal = Ragged(*legal_actions(RESNET_ACTION_ENCODING, boards))
    return Evaluations(
        moves=_moves(RESNET_ACTION_ENCODING, boards, legal),
        probabilities=probabilities(_at(logits, legal), legal.offsets),
        offsets=legal.offsets,
        values_side_to_move=wdl[:, 0] - wdl[:, 2],
        wdl_side_to_move=wdl,
    )


def _evaluate_sparse_net(net: NetOf[SparseNetConfig], boards: Sequence[Board]) -> Evaluations:
    wdl, moves, logits, offsets = SparseNetEvaluator(net).evaluate(boards)
    return Evaluations(
        moves=moves,
        probabilities=probabilities(logits, offsets),
        offsets=offsets,
        values_side_to_move=wdl[:, 0] - wdl[:, 2],
        wdl_side_to_move=wdl,
    )


def _evaluate_transformer(net: NetOf[TransformerConfig], boards: Sequence[Board]) -> Evaluations:
    moves, logits, offsets = TransformerEvaluator(net).evaluate(boards)
    return Evaluations(moves=moves, probabilities=probabilities(logits, offsets), offsets=offsets)


def _evaluate_q_net(net: QValueNet | CoreNet[QNetConfig], boards: Sequence[Board]) -> Evaluations:
    black = is_black_to_move(boards)
    values, legal = q_values(playable_q_net(net), boards, black)
    return Evaluations(
        moves=q_moves(boards, legal, black),
        probabilities=probabilities(values / np.float32(POLICY_TEMPERATURE), legal.offsets),
        offsets=legal.offsets,
        values_side_to_move=np.maximum.reduceat(values, legal.offsets[:-1]),
    )


def _evaluate_move_scorer(net: Any, boards: Sequence[Board]) -> Evaluations:
    legal = Ragged(*legal_actions(SCORER_ACTION_ENCODING, boards))
    playable = playable_scorer(net)
    return Evaluations(
        moves=_moves(SCORER_ACTION_ENCODING, boards, legal),
        probabilities=probabilities(move_scores(playable, net.config, boards), legal.offsets),
        offsets=legal.offsets,
        values_side_to_move=values_side_to_move(playable, net.config, boards),
    )


# The kind of a net, as in selfmate.nets.config -> how it is asked about boards.
EVALUATIONS: Mapping[str, Callable[[Any, Sequence[Board]], Evaluations]] = MappingProxyType(
    {
        "q_net": _evaluate_q_net,
        "move_scorer": _evaluate_move_scorer,
        "se_resnet": _evaluate_resnet,
        "sparse_net": _evaluate_sparse_net,
        "transformer": _evaluate_transformer,
    }
)


def playable_q_net(net: QValueNet | CoreNet[QNetConfig]) -> QValueNet | QNetEvaluator:
    return QNetEvaluator(net) if isinstance(net, CoreNet) else net


def q_values(
    net: QValueNet | QNetEvaluator, boards: Sequence[Board], black: NDArray[np.bool_]
) -> tuple[Floats, Ragged]:
    """Q-values [N] of all legal actions, and the actions, both in the mover's view."""
    legal = flipped_legal_actions(boards, black)
    if isinstance(net, QNetEvaluator):
        return net.action_values(boards), legal
    return net.values(encode_packed(boards), legal), legal


def playable_scorer(net: MoveScoreNet | CoreNet[MoveScorerConfig]) -> MoveScoreNet | CoreMoveScorer:
    return CoreMoveScorer(net) if isinstance(net, CoreNet) else net


def move_scores(
    net: MoveScoreNet | CoreMoveScorer, spec: MoveScorerConfig, boards: Sequence[Board]
) -> Floats:
    """[N] Of all legal moves."""
    if isinstance(net, CoreMoveScorer):
        return net.evaluate(boards)[2]
    return net.scores(spec.candidates(boards))


def values_side_to_move(
    net: MoveScoreNet | CoreMoveScorer, spec: MoveScorerConfig, boards: Sequence[Board]
) -> Floats | None:
    """[B] None without a value head."""
    if isinstance(net, CoreMoveScorer):
        wdl = net.evaluate(boards)[0]
        return wdl[:, 0] - wdl[:, 2] if net.has_values else None
    white = is_white_to_move(boards)
    values = net.values(position_rows(spec.encoding, boards), white)  # in White's view
    return None if values is None else np.where(white, values, -values)


def q_moves(boards: Sequence[Board], legal: Ragged, black: NDArray[np.bool_]) -> NDArray[np.uint16]:
    """[N] The move codes of actions in the mover's view."""
    actions = flipped_actions(legal.values, black[legal.rows])
    return _moves(ACTION_ENCODING, boards, Ragged(actions, legal.offsets))


def _moves(action_encoding: str, boards: Sequence[Board], legal: Ragged) -> NDArray[np.uint16]:
    """[N] The move codes of all legal actions."""
    board_of_action = [boards[row] for row in legal.rows.tolist()]
    return moves_of_actions(action_encoding, board_of_action, legal.values)


def _at(logits: Floats, legal: Ragged) -> Floats:
    """[N] The logits [B, A] of the legal actions."""
    picked: Floats = logits[legal.rows, legal.values]
    return picked
