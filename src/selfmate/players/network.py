"""Nets without search: what they say about boards, and how they play.

`evaluate` gives policy and value of many boards, for every kind of net. A player chooses the
legal move with the highest score, or draws one by softmax with a temperature. With exact endings
it knows which moves mate and draw (`candidates`). A Q-net or a move scorer may be trained further
between moves: players read its weights at every call. A transformer plays with the weights that it
had when its player was made.
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
    is_white_to_move,
    position_rows,
)
from selfmate.encodings.records import ACTIONS, TokenBatch, encode_tokens
from selfmate.nets.config import MoveScorerConfig
from selfmate.nets.evaluator import (
    SparseNetEvaluator,
    TransformerEvaluator,
    make_evaluator,
    make_policy_evaluator,
)
from selfmate.nets.move_scorer import MoveScorer
from selfmate.nets.onnx_net import OnnxMoveScorer, OnnxQNet, OnnxTransformer
from selfmate.nets.q_net import POLICY_TEMPERATURE, QNet
from selfmate.nets.resnet import SeResNet
from selfmate.nets.sparse import log_softmax, mass_of
from selfmate.nets.sparse_net import SparseNet
from selfmate.nets.transformer import Transformer
from selfmate.players import EXACT, OFF
from selfmate.players.candidates import UNKNOWN_VALUE, Candidates, known_values
from selfmate.players.player import (
    NO_LIMITS,
    Analysis,
    Choices,
    Limits,
    Scoring,
    SearchRequest,
    pawns_of,
)
from selfmate.rules import Board, Ragged, push_moves, uci_text
from selfmate.searches.endings import MATE, NO_ENDING, MoveEndings, move_endings
from selfmate.searches.sampling import chosen_actions
from selfmate.searches.teacher import MoveScores

RESNET_ACTION_ENCODING = "az4672"
SCORER_ACTION_ENCODING = "uci1968"  # has an index for every move, promotions included
# Weight of the lookahead in the move scorer's logits: a sure win is e^20 times as likely.
LOOKAHEAD_NATS = 20

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
    wdl, logits = make_evaluator(net)(encode("planes96", boards))
    legal = Ragged(*legal_actions(RESNET_ACTION_ENCODING, boards))
    return Evaluations(
        moves=_moves(RESNET_ACTION_ENCODING, boards, legal),
        probabilities=_softmax(_at(logits, legal), legal.offsets),
        offsets=legal.offsets,
        values_side_to_move=wdl[:, 0] - wdl[:, 2],
        wdl_side_to_move=wdl,
    )


@evaluate.register
def _(net: SparseNet, boards: Sequence[Board]) -> Evaluations:
    wdl, moves, logits, offsets = SparseNetEvaluator(net).evaluate(boards)
    return Evaluations(
        moves=moves,
        probabilities=_softmax(logits, offsets),
        offsets=offsets,
        values_side_to_move=wdl[:, 0] - wdl[:, 2],
        wdl_side_to_move=wdl,
    )


@evaluate.register
def _(net: Transformer, boards: Sequence[Board]) -> Evaluations:
    moves, logits, offsets = TransformerEvaluator(net).evaluate(boards)
    return Evaluations(moves=moves, probabilities=_softmax(logits, offsets), offsets=offsets)


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
    net: QNet | OnnxQNet, boards: Sequence[Board], black: NDArray[np.bool_]
) -> tuple[Floats, Ragged]:
    """Q-values [N] of all legal actions, and the actions, both in the mover's view."""
    legal = flipped_legal_actions(boards, black)
    return net.values(encode_packed(boards), legal), legal


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
    picked: Floats = logits[legal.rows, legal.values]
    return picked


def _softmax(scores: Floats, offsets: NDArray[np.int64]) -> Floats:
    """[N] Of each board's scores [N]; offsets [B + 1]."""
    logs: Floats = log_softmax(torch.from_numpy(scores), offsets).numpy()
    return np.exp(logs)


class QPlayer:
    """Plays the legal move with the highest Q-value. Promotions are to queens, unless with exact
    endings another piece mates and she does not."""

    parallel_games = 256

    def __init__(
        self,
        name: str,
        net: QNet | OnnxQNet,
        temperature: float = 0.0,
        *,
        exact_endings: bool = True,
    ) -> None:
        self.name = name
        self._net, self._temperature, self._exact_endings = net, temperature, exact_endings

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        if self._exact_endings:
            found = self._candidates(boards, exact_endings=True)
            return Choices(found.chosen(self._temperature, seeds))
        black = is_black_to_move(boards)
        values, legal = _q_values(self._net, boards, black)
        actions = chosen_actions(values, legal, self._temperature, seeds)
        return Choices(moves_of_actions(ACTION_ENCODING, boards, flipped_actions(actions, black)))

    def analyse(self, request: SearchRequest) -> Analysis:
        exact_endings = request.has_exact_endings(self._exact_endings)
        found = self._candidates([request.board], exact_endings)
        found = found.ranked(request, self._temperature)
        first, *others = found.analyses(pawns_of(found.scores).tolist())
        return replace(first, others=tuple(others))

    def _candidates(self, boards: Sequence[Board], exact_endings: bool) -> Candidates:
        black = is_black_to_move(boards)
        values, legal = _q_values(self._net, boards, black)
        if not exact_endings:
            moves = _q_moves(boards, legal, black).astype(np.int32)
            return Candidates.by_score(Ragged(moves, legal.offsets), values)
        known, places = move_endings(boards).by_action()
        return Candidates.mates_first(known, known_values(known.endings, values[places]))

    def scoring(self, best: int) -> Scoring:
        """Scores of all legal moves, whatever `best` is. They are the net's alone, because others
        learn from them."""
        return Scoring(
            name=self.name.replace(f"terminal={EXACT}", f"terminal={OFF}"),
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
        self,
        name: str,
        net: Transformer | OnnxTransformer,
        temperature: float = 0.0,
        *,
        masked: bool = True,
        exact_endings: bool = True,
    ) -> None:
        """Unmasked, it knows no rules: `exact_endings` does not apply."""
        self.name = name
        self._net = make_policy_evaluator(net)
        self._temperature, self._masked = temperature, masked
        self._exact_endings = exact_endings and masked

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        if self._masked:
            _, legal_logits, _ = self._net.evaluate(boards)
            found = _by_policy(move_endings(boards), legal_logits, self._exact_endings)
            return Choices(found.chosen(self._temperature, seeds))
        batch = encode_tokens(list(boards))
        logits = self._net.logits(batch.tokens)  # [B, A]
        actions = chosen_actions(
            logits.ravel(), _all_actions(len(boards)), self._temperature, seeds
        )
        return _unmasked_choices(batch, actions)

    def analyse(self, request: SearchRequest) -> Analysis:
        batch = encode_tokens([request.board])
        logits = self._net.logits(batch.tokens)
        exact_endings = self._masked and request.has_exact_endings(self._exact_endings)
        known = move_endings([request.board])
        found = _by_policy(known, _at(logits, batch.legal), exact_endings)
        return replace(
            _policy_analysis(found.ranked(request, self._temperature)),
            legal_mass=float(mass_of(logits, batch.legal)[0]),
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

    def __init__(  # noqa: PLR0913 - the settings of a player
        self,
        name: str,
        spec: MoveScorerConfig,
        net: MoveScorer | OnnxMoveScorer,
        temperature: float = 0.0,
        looks_ahead: bool = False,
        *,
        exact_endings: bool = True,
    ) -> None:
        self.name = name
        self._spec, self._net = spec, net
        self._temperature, self._looks_ahead = temperature, looks_ahead
        self._exact_endings = exact_endings

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        found = self._candidates(boards, self._exact_endings)
        return Choices(found.chosen(self._temperature, seeds))

    def analyse(self, request: SearchRequest) -> Analysis:
        exact_endings = request.has_exact_endings(self._exact_endings)
        found = self._candidates([request.board], exact_endings)
        return _policy_analysis(found.ranked(request, self._temperature))

    def close(self) -> None:
        pass

    def _candidates(self, boards: Sequence[Board], exact_endings: bool) -> Candidates:
        known, scores = move_endings(boards), self._net.scores(self._spec.candidates(boards))
        if self._looks_ahead:
            scores = scores + np.float32(LOOKAHEAD_NATS) * self._values_after(boards, known)
        if self._looks_ahead and exact_endings:
            return Candidates.mates_first(known, scores)
        return _by_policy(known, scores, exact_endings)

    def _values_after(self, boards: Sequence[Board], known: MoveEndings) -> Floats:
        """[N] The mover's value after each move: 1 for mate, 0 for a draw, else the value head's
        (UNKNOWN_VALUE without one)."""
        won = (known.endings == MATE).astype(np.float32)
        after = [boards[row].copy() for row in known.moves.rows.tolist()]
        push_moves(after, known.moves.values.astype(np.uint16))
        values = self._net.values(  # White's view
            position_rows(self._spec.encoding, after), is_white_to_move(after)
        )
        if values is None:
            return np.where(known.endings == NO_ENDING, np.float32(UNKNOWN_VALUE), won)
        signs = np.where(is_white_to_move(boards), 1, -1).astype(np.float32)
        signs = np.repeat(signs, known.moves.counts)
        return np.where(known.endings == NO_ENDING, values * signs, won)


def _by_policy(known: MoveEndings, logits: Floats, exact_endings: bool) -> Candidates:
    if exact_endings:
        return Candidates.by_policy(known, logits)
    return Candidates.by_score(known.moves, logits)


def _policy_analysis(ranked: Candidates) -> Analysis:
    """Of one board, from its ranked moves. The probabilities are the net's own."""
    moves = ranked.moves
    probabilities = _softmax(ranked.scores, moves.offsets)
    first, *others = ranked.analyses()
    policy = dict(zip(map(uci_text, moves.values.tolist()), probabilities.tolist(), strict=True))
    return replace(first, others=tuple(others), policy=policy)
