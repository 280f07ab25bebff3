"""Positions as tokens78, and moves of uci1968, both seen from the side to move."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import Games, encode, legal_actions, moves_of_actions
from selfmate.encodings.layouts import CODINGS, UCI1968_FLIPPED, UCI1968_MOVES
from selfmate.encodings.stored import Stored, actions_of, is_white_to_move, legal_of, tokens_of
from selfmate.rules.ragged import Ragged

CODING = "uci1968"
ACTIONS = CODINGS[CODING].size
MOVES = UCI1968_MOVES

# Words of tokens78, and where some stand; docs/encodings.md has them all.
EMPTY, YES = 1, 15
OWN_ROOK, OWN_QUEEN, OWN_KING = 5, 6, 7
ENEMY_ROOK, ENEMY_QUEEN, ENEMY_KING = 11, 12, 13
SQUARES = slice(1, 65)
EN_PASSANT = 69

Actions = NDArray[np.int32]
IsBlack = NDArray[np.bool_]


@dataclass(frozen=True)
class Sentences:
    tokens: NDArray[np.uint8]  # [B, 78]
    legal: Ragged  # actions, as the mover sees them

    def __len__(self) -> int:
        return len(self.tokens)


def turned(actions: Actions, black: IsBlack) -> Actions:
    """Actions as the side to move sees them, and back."""
    return np.where(black, UCI1968_FLIPPED[actions], actions)


def sentences_of(games: Games, black: IsBlack) -> Sentences:
    legal = Ragged(*legal_actions(CODING, games))
    return Sentences(encode("tokens78", games), _turned_rows(legal, black))


def sentences_of_stored(stored: Stored) -> Sentences:
    legal = legal_of(CODING, stored)
    return Sentences(tokens_of(stored), _turned_rows(legal, ~is_white_to_move(stored)))


def turned_actions_of_stored(stored: Stored, moves: NDArray[np.uint16]) -> Actions:
    """[B] The action of one move per position, as its mover sees it."""
    return turned(actions_of(CODING, stored, moves), ~is_white_to_move(stored))


def moves_of_turned(games: Games, actions: Actions, black: IsBlack) -> NDArray[np.uint16]:
    """[B] The move of one action per game, which is legal there."""
    return moves_of_actions(CODING, games, turned(actions, black))


def legal_mass(logits: NDArray[np.float32], legal: Ragged) -> NDArray[np.float64]:
    """[B] The probability of all legal moves together, among all there are."""
    weights = np.exp(logits.astype(np.float64) - logits.max(1, keepdims=True))
    at_legal = weights[legal.rows, legal.values]
    mass: NDArray[np.float64] = np.add.reduceat(at_legal, legal.offsets[:-1]) / weights.sum(1)
    return mass


def _turned_rows(legal: Ragged, black: IsBlack) -> Ragged:
    return Ragged(turned(legal.values, np.repeat(black, legal.counts)), legal.offsets)
