"""A transformer as a player: the move it finds likeliest, without any search."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from selfmate.encodings.sentences import (
    ACTIONS,
    MOVES,
    Sentences,
    sentences_of,
    turned,
)
from selfmate.nets.ragged import log_softmax, mass_of
from selfmate.nets.transformer import Transformer
from selfmate.players.player import NO_LIMITS, Choices, Limits, Question, Thought
from selfmate.rules import Board, uci_text
from selfmate.rules.ragged import Ragged
from selfmate.search.value_choices import chosen_actions

Floats = NDArray[np.float32]


class PolicyPlayer:
    """Plays with the net it is given, which may go on learning between its moves.

    Its masked form chooses among the legal moves. Without the mask it may choose any, and forfeits
    the game by an illegal one; what it thinks is told of legal moves either way.
    """

    games_at_once = 256

    def __init__(
        self, name: str, net: Transformer, temperature: float = 0.0, *, masked: bool = True
    ) -> None:
        self.name = name
        self._net, self._temperature, self._masked = net, temperature, masked

    def choose(
        self, boards: Sequence[Board], dice: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        sentences = sentences_of(list(boards))
        logits = self._net.logits(sentences.tokens)
        if self._masked:
            legal = sentences.legal
            actions = chosen_actions(_at(logits, legal), legal, self._temperature, dice)
            return Choices(sentences.moves(actions))
        every = Ragged(
            np.tile(np.arange(ACTIONS, dtype=np.int32), len(boards)),
            np.arange(len(boards) + 1) * ACTIONS,
        )
        actions = chosen_actions(logits.ravel(), every, self._temperature, dice)
        return _unmasked(sentences, actions)

    def think(self, question: Question) -> Thought:
        temperature = question.temperature
        if temperature is None:
            temperature = self._temperature
        sentences = sentences_of([question.board])
        logits, legal = self._net.logits(sentences.tokens), sentences.legal
        values = _at(logits, legal)
        dice = np.array([question.dice], np.uint64)
        chosen = chosen_actions(values, legal, temperature, dice)
        ranks = np.lexsort((-values, legal.values != chosen))
        moves = MOVES[turned(legal.values[ranks], sentences.black)].tolist()
        shares = np.exp(log_softmax(torch.from_numpy(values[ranks]), legal.offsets).numpy())
        first, *others = map(_thought, moves)
        policy = dict(zip(map(uci_text, moves), shares.tolist(), strict=True))
        mass = float(mass_of(logits, legal)[0])
        return replace(first, others=tuple(others), policy=policy, legal_mass=mass)

    def close(self) -> None:
        pass


def _unmasked(sentences: Sentences, actions: NDArray[np.int32]) -> Choices:
    legal = sentences.legal
    hits = legal.values == np.repeat(actions, legal.counts)
    is_legal = np.add.reduceat(hits, legal.offsets[:-1], dtype=np.int64) > 0
    moves = sentences.moves(actions)
    return Choices(
        np.where(is_legal, moves, 0).astype(np.uint16),
        forfeits={
            row: f"illegal_move: {uci_text(int(moves[row]))}"
            for row in np.flatnonzero(~is_legal).tolist()
        },
    )


def _at(logits: Floats, legal: Ragged) -> Floats:
    return logits[legal.rows, legal.values]


def _thought(move: int) -> Thought:
    text = uci_text(move)
    return Thought(best=text, line=(text,))
