"""Nets without search as players.

A player chooses the legal move with the highest score, or draws one by softmax with a temperature.
With exact endings it knows which moves mate and draw (`candidates`). A torch Q-net or move scorer
may be trained further between moves: players read its weights at every call. A `CoreNet` plays with
the weights that it had when its player was made; so does every transformer.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import is_black_to_move, moves_of_actions
from selfmate.encodings.features import ACTION_ENCODING, flipped_actions
from selfmate.encodings.records import ACTIONS, TokenBatch, encode_tokens
from selfmate.nets.config import MoveScorerConfig, QNetConfig, TransformerConfig
from selfmate.nets.evaluator import CoreNet, NetOf, make_policy_evaluator
from selfmate.nets.onnx_net import OnnxTransformer
from selfmate.nets.softmax import mass_of, probabilities
from selfmate.players import EXACT, OFF
from selfmate.players.candidates import UNKNOWN_VALUE, Candidates, known_values
from selfmate.players.evaluation import (
    MoveScoreNet,
    QValueNet,
    move_scores,
    playable_q_net,
    playable_scorer,
    q_moves,
    q_values,
    values_side_to_move,
)
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

# Weight of the lookahead in the move scorer's logits: a sure win is e^20 times as likely.
LOOKAHEAD_NATS = 20

Floats = NDArray[np.float32]


class QPlayer:
    """Plays the legal move with the highest Q-value. Promotions are to queens, unless with exact
    endings another piece mates and she does not."""

    parallel_games = 256

    def __init__(
        self,
        name: str,
        net: QValueNet | CoreNet[QNetConfig],
        temperature: float = 0.0,
        *,
        exact_endings: bool = True,
    ) -> None:
        self.name = name
        self._net = playable_q_net(net)
        self._temperature, self._exact_endings = temperature, exact_endings

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        if self._exact_endings:
            found = self._candidates(boards, exact_endings=True)
            return Choices(found.chosen(self._temperature, seeds))
        black = is_black_to_move(boards)
        values, legal = q_values(self._net, boards, black)
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
        values, legal = q_values(self._net, boards, black)
        if not exact_endings:
            moves = q_moves(boards, legal, black).astype(np.int32)
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
        values, legal = q_values(self._net, boards, black)
        return MoveScores(
            moves=q_moves(boards, legal, black),
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
        net: NetOf[TransformerConfig] | OnnxTransformer,
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
        found = _by_policy(known, logits[batch.legal.rows, batch.legal.values], exact_endings)
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
        net: MoveScoreNet | CoreNet[MoveScorerConfig],
        temperature: float = 0.0,
        looks_ahead: bool = False,
        *,
        exact_endings: bool = True,
    ) -> None:
        self.name = name
        self._spec, self._net = spec, playable_scorer(net)
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
        known, scores = move_endings(boards), move_scores(self._net, self._spec, boards)
        if self._looks_ahead:
            scores = scores + np.float32(LOOKAHEAD_NATS) * self._values_after(boards, known)
        if self._looks_ahead and exact_endings:
            return Candidates.mates_first(known, scores)
        return _by_policy(known, scores, exact_endings)

    def _values_after(self, boards: Sequence[Board], known: MoveEndings) -> Floats:
        """[N] The mover's value after each move: 1 for mate, 0 for a draw, else the value head's
        (UNKNOWN_VALUE without one)."""
        values: Floats = (known.endings == MATE).astype(np.float32)
        unknown = np.flatnonzero(known.endings == NO_ENDING)
        after = [boards[row].copy() for row in known.moves.rows[unknown].tolist()]
        push_moves(after, known.moves.values[unknown].astype(np.uint16))
        opponents = values_side_to_move(self._net, self._spec, after) if after else None
        values[unknown] = UNKNOWN_VALUE if opponents is None else -opponents
        return values


def _by_policy(known: MoveEndings, logits: Floats, exact_endings: bool) -> Candidates:
    if exact_endings:
        return Candidates.by_policy(known, logits)
    return Candidates.by_score(known.moves, logits)


def _policy_analysis(ranked: Candidates) -> Analysis:
    """Of one board, from its ranked moves. The probabilities are the net's own."""
    moves = ranked.moves
    chances = probabilities(ranked.scores, moves.offsets)
    first, *others = ranked.analyses()
    policy = dict(zip(map(uci_text, moves.values.tolist()), chances.tolist(), strict=True))
    return replace(first, others=tuple(others), policy=policy)
