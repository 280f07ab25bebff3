"""Positions as tokens78, and moves of uci1968, both seen from the side to move."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import encode, is_black_to_move, legal_actions
from selfmate.encodings.layouts import CODINGS, UCI1968_FLIPPED, UCI1968_MOVES
from selfmate.encodings.stored import Stored, actions_of, is_white_to_move, legal_of, tokens_of
from selfmate.rules import Board
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


@dataclass(frozen=True, kw_only=True)
class Sentences:
    tokens: NDArray[np.uint8]  # [B, 78]
    legal: Ragged  # actions, as the mover sees them
    black: IsBlack  # [B] who moves

    def __len__(self) -> int:
        return len(self.tokens)

    def take(self, rows: NDArray[np.int64]) -> "Sentences":
        """Some rows, in this order."""
        return Sentences(
            tokens=self.tokens[rows], legal=self.legal.take(rows), black=self.black[rows]
        )

    def moves(self, actions: Actions) -> NDArray[np.uint16]:
        """[B] What one action per row means on its board, whether it is legal there or not."""
        return MOVES[turned(actions, self.black)]


def turned(actions: Actions, black: IsBlack) -> Actions:
    """Actions as the side to move sees them, and back."""
    return np.where(black, UCI1968_FLIPPED[actions], actions)


def sentences_of(boards: Sequence[Board]) -> Sentences:
    legal, black = Ragged(*legal_actions(CODING, boards)), is_black_to_move(boards)
    return Sentences(
        tokens=encode("tokens78", boards), legal=_turned_rows(legal, black), black=black
    )


def sentences_of_stored(stored: Stored) -> Sentences:
    legal, black = legal_of(CODING, stored), ~is_white_to_move(stored)
    return Sentences(tokens=tokens_of(stored), legal=_turned_rows(legal, black), black=black)


def turned_actions_of_stored(stored: Stored, moves: NDArray[np.uint16]) -> Actions:
    """[B] The action of one move per position, as its mover sees it."""
    return turned(actions_of(CODING, stored, moves), ~is_white_to_move(stored))


def _turned_rows(legal: Ragged, black: IsBlack) -> Ragged:
    return Ragged(turned(legal.values, np.repeat(black, legal.counts)), legal.offsets)
