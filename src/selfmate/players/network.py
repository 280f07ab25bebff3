"""Nets without search: what they say about boards, and how they play.

`evaluate` gives policy and value of many boards, for every kind of net. A player chooses the
legal move with the highest score, or draws one by softmax with a temperature. The net may be
trained further between moves: players read its weights at every call.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from selfmate.encodings.records import ACTIONS, MOVES, TokenBatch, encode_tokens, flipped
from selfmate.nets.config import MoveScorerConfig
from selfmate.nets.evaluator import make_evaluator
from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.q_net import POLICY_TEMPERATURE, QNet
from selfmate.nets.resnet import SeResNet
from selfmate.nets.sparse import log_softmax, mass_of
from selfmate.nets.transformer import Transformer
from selfmate.players.player import (
    NO_LIMITS,
    Analysis,
    Choices,
    Limits,
    Scoring,
    SearchRequest,
    pawns_of,
)
from selfmate.rules import Board, Outcome, Ragged, push_moves, uci_code, uci_text
from selfmate.searches.sampling import chosen_actions
from selfmate.searches.teacher import MoveScores

RESNET_ACTION_ENCODING = "az4672"
SCORER_ACTION_ENCODING = "uci1968"  # has an index for every move, promotions included
# Weight of the lookahead in the move scorer's logits: a sure win is e^20 times as likely.
LOOKAHEAD_NATS = 20
UNKNOWN_VALUE = 0.5  # of a game that goes on, without a value head: better than a draw

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
    legal = Ragged(*legal_actions(RESNET_ACTION_ENCODING, boards))
    return Evaluations(
        moves=_moves(RESNET_ACTION_ENCODING, boards, legal),
        probabilities=_softmax(_at(logits, legal), legal.offsets),
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
        probabilities=_softmax(_at(logits, legal), legal.offsets),
        offsets=legal.offsets,
    )


@evaluate.register
def _(net: QNet, boards: Sequence[Board]) -> Evaluations:
    black = is_black_to_move(boards)
    values, legal = _q_values(net, boards, black)
    return Evaluations(
        moves=_q_moves(boards, legal, black),
        probabilities=_softmax(values / np.float32(POLICY_TEMPERATURE), legal.offsets),
        offsets=legal.offsets,
        values_side_to_move=np.maximum.reduceat(values, legal.offsets[:-1]),
    )


@evaluate.register
def _(net: MoveScorer, boards: Sequence[Board]) -> Evaluations:
    legal = Ragged(*legal_actions(SCORER_ACTION_ENCODING, boards))
    white = is_white_to_move(boards)
    values = net.values(position_rows(net.config.encoding, boards), white)  # in White's view
    return Evaluations(
        moves=_moves(SCORER_ACTION_ENCODING, boards, legal),
        probabilities=_softmax(net.scores(net.config.candidates(boards)), legal.offsets),
        offsets=legal.offsets,
        values_side_to_move=None if values is None else np.where(white, values, -values),
    )


def _q_values(
    net: QNet, boards: Sequence[Board], black: NDArray[np.bool_]
) -> tuple[Floats, Ragged]:
    """Q-values [N] of all legal actions, and the actions, both in the mover's view."""
    legal = flipped_legal_actions(boards, black)
    return net.values(inputs_of(encode_packed(boards)), legal), legal


def _q_moves(
    boards: Sequence[Board], legal: Ragged, black: NDArray[np.bool_]
) -> NDArray[np.uint16]:
    """[N] The move codes of actions in the mover's view."""
    actions = flipped_actions(legal.values, black[legal.rows])
    return _moves(ACTION_ENCODING, boards, Ragged(actions, legal.offsets))


def _moves(action_encoding: str, boards: Sequence[Board], legal: Ragged) -> NDArray[np.uint16]:
    """[N] The move codes of all legal actions."""
    board_of_action = [boards[row] for row in legal.rows.tolist()]
    return moves_of_actions(action_encoding, board_of_action, legal.values)


def _at(logits: Floats, legal: Ragged) -> Floats:
    """[N] The logits [B, A] of the legal actions."""
    return logits[legal.rows, legal.values]


def _softmax(scores: Floats, offsets: NDArray[np.int64]) -> Floats:
    """[N] Of each board's scores [N]; offsets [B + 1]."""
    logs: Floats = log_softmax(torch.from_numpy(scores), offsets).numpy()
    return np.exp(logs)


class QPlayer:
    """Plays the legal move with the highest Q-value. Promotions are always to queens."""

    parallel_games = 256

    def __init__(self, name: str, net: QNet, temperature: float = 0.0) -> None:
        self.name = name
        self._net, self._temperature = net, temperature

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        black = is_black_to_move(boards)
        values, legal = _q_values(self._net, boards, black)
        actions = chosen_actions(values, legal, self._temperature, seeds)
        return Choices(moves_of_actions(ACTION_ENCODING, boards, flipped_actions(actions, black)))

    def analyse(self, request: SearchRequest) -> Analysis:
        black = is_black_to_move([request.board])
        values, legal = _q_values(self._net, [request.board], black)
        moves = _q_moves([request.board], legal, black)
        ranks = _ranks(values, legal, moves, request, self._temperature)
        pawns = pawns_of(values[ranks]).tolist()
        first, *others = map(_analysis, moves[ranks].tolist(), pawns)
        return replace(first, others=tuple(others))

    def scoring(self, best: int) -> Scoring:
        """Scores of all legal moves, whatever `best` is."""
        return Scoring(
            name=self.name,
            score=self._scores,
            parallel_games=self.parallel_games,
            close=self.close,
        )

    def close(self) -> None:
        pass

    def _scores(self, boards: Sequence[Board]) -> MoveScores:
        """Of every legal action; of promotions only the queen's, as the net sees no others."""
        black = is_black_to_move(boards)
        values, legal = _q_values(self._net, boards, black)
        return MoveScores(
            moves=_q_moves(boards, legal, black),
            centipawns=np.rint(100 * pawns_of(values)).astype(np.int32),
            offsets=legal.offsets,
        )


class PolicyPlayer:
    """Plays the move that a transformer finds most likely.

    Masked, it chooses among the legal moves. Unmasked, it chooses among all moves and forfeits the
    game by an illegal one; its analysis is about legal moves either way.
    """

    parallel_games = 256

    def __init__(
        self, name: str, net: Transformer, temperature: float = 0.0, *, masked: bool = True
    ) -> None:
        self.name = name
        self._net, self._temperature, self._masked = net, temperature, masked

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        batch = encode_tokens(list(boards))
        logits = self._net.logits(batch.tokens)  # [B, A]
        if self._masked:
            legal = batch.legal
            actions = chosen_actions(_at(logits, legal), legal, self._temperature, seeds)
            return Choices(batch.moves(actions))
        actions = chosen_actions(
            logits.ravel(), _all_actions(len(boards)), self._temperature, seeds
        )
        return _unmasked_choices(batch, actions)

    def analyse(self, request: SearchRequest) -> Analysis:
        batch = encode_tokens([request.board])
        logits, legal = self._net.logits(batch.tokens), batch.legal
        legal_logits = _at(logits, legal)
        moves = MOVES[flipped(legal.values, batch.black)]
        ranks = _ranks(legal_logits, legal, moves, request, self._temperature)
        return replace(
            _policy_analysis(moves[ranks], legal_logits[ranks]),
            legal_mass=float(mass_of(logits, legal)[0]),
        )

    def close(self) -> None:
        pass


def _all_actions(boards: int) -> Ragged:
    """All actions of every board, legal or not."""
    return Ragged(
        np.tile(np.arange(ACTIONS, dtype=np.int32), boards), np.arange(boards + 1) * ACTIONS
    )


def _unmasked_choices(batch: TokenBatch, actions: NDArray[np.int32]) -> Choices:
    """Actions [B] as choices; an illegal one is a forfeit."""
    legal = batch.legal
    hits = legal.values == np.repeat(actions, legal.counts)
    is_legal = np.add.reduceat(hits, legal.offsets[:-1], dtype=np.int64) > 0
    moves = batch.moves(actions)
    return Choices(
        np.where(is_legal, moves, 0).astype(np.uint16),
        forfeits={
            row: f"illegal_move: {uci_text(int(moves[row]))}"
            for row in np.flatnonzero(~is_legal).tolist()
        },
    )


class ScorerPlayer:
    """Plays the legal move with the highest score.

    With `looks_ahead` it adds what one ply shows: mates and draws, and the value head's opinion of
    the position after each move.
    """

    parallel_games = 256

    def __init__(
        self,
        name: str,
        spec: MoveScorerConfig,
        net: MoveScorer,
        temperature: float = 0.0,
        looks_ahead: bool = False,
    ) -> None:
        self.name = name
        self._spec, self._net = spec, net
        self._temperature, self._looks_ahead = temperature, looks_ahead

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        scores, legal = self._scores(boards)
        actions = chosen_actions(scores, legal, self._temperature, seeds)
        return Choices(moves_of_actions(SCORER_ACTION_ENCODING, boards, actions))

    def analyse(self, request: SearchRequest) -> Analysis:
        scores, legal = self._scores([request.board])
        moves = _moves(SCORER_ACTION_ENCODING, [request.board], legal)
        ranks = _ranks(scores, legal, moves, request, self._temperature)
        return _policy_analysis(moves[ranks], scores[ranks])

    def close(self) -> None:
        pass

    def _scores(self, boards: Sequence[Board]) -> tuple[Floats, Ragged]:
        """Logits [N] of all legal actions, and the actions."""
        scores = self._net.scores(self._spec.candidates(boards))
        legal = Ragged(*legal_actions(SCORER_ACTION_ENCODING, boards))
        if self._looks_ahead:
            scores = scores + np.float32(LOOKAHEAD_NATS) * self._values_after(boards, legal)
        return scores, legal

    def _values_after(self, boards: Sequence[Board], legal: Ragged) -> Floats:
        """[N] The mover's value after each move: 1 for mate, 0 for a draw, else the value head's
        (UNKNOWN_VALUE without one)."""
        after = [boards[row].copy() for row in legal.rows.tolist()]
        outcomes = push_moves(after, _moves(SCORER_ACTION_ENCODING, boards, legal))
        ended = np.array([outcome is not None for outcome in outcomes])
        won = np.array([_is_win(outcome) for outcome in outcomes], np.float32)
        values = self._net.values(  # White's view
            position_rows(self._spec.encoding, after), is_white_to_move(after)
        )
        if values is None:
            return np.where(ended, won, np.float32(UNKNOWN_VALUE))
        signs = np.where(is_white_to_move(boards), 1, -1).astype(np.float32)
        return np.where(ended, won, values * np.repeat(signs, legal.counts))


def _is_win(outcome: Outcome | None) -> bool:
    """Whether a move won the game; no move can lose it."""
    return outcome is not None and outcome.winner is not None


# Analyses from scores of moves.


def _ranks(
    scores: Floats,
    legal: Ragged,
    moves: NDArray[np.uint16],
    request: SearchRequest,
    temperature: float,
) -> NDArray[np.int64]:
    """[N] The order of one board's moves: the chosen one first, then by score. Only those that the
    request allows.

    `temperature` applies unless the request has one.
    """
    if request.temperature is not None:
        temperature = request.temperature
    rows = _allowed_rows(moves, request.root_moves)
    allowed = Ragged(legal.values[rows], np.array([0, len(rows)], np.int64))
    seeds = np.array([request.seed], np.uint64)
    chosen = chosen_actions(scores[rows], allowed, temperature, seeds)
    return rows[np.lexsort((-scores[rows], allowed.values != chosen))]


def _allowed_rows(moves: NDArray[np.uint16], root_moves: Sequence[str] | None) -> NDArray[np.int64]:
    if root_moves is None:
        return np.arange(len(moves))
    rows = np.flatnonzero(np.isin(moves, [uci_code(move) for move in root_moves]))
    if not len(rows):
        raise ValueError(f"this net has no score for {' '.join(root_moves)}")
    return rows


def _policy_analysis(moves: NDArray[np.uint16], logits: Floats) -> Analysis:
    """Of one board, from its ranked moves [N] and their logits [N]."""
    probabilities = _softmax(logits, np.array([0, len(moves)], np.int64))
    first, *others = map(_analysis, moves.tolist())
    policy = dict(zip(map(uci_text, moves.tolist()), probabilities.tolist(), strict=True))
    return replace(first, others=tuple(others), policy=policy)


def _analysis(move: int, score_pawns: float | None = None) -> Analysis:
    text = uci_text(move)
    return Analysis(best=text, line=(text,), score_pawns=score_pawns)
