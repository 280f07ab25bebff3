"""Token batches: positions as tokens78 with their legal moves as uci1968 actions.

Tokens and actions are seen from the side to move: with Black to move the board is flipped.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import (
    ACTION_ENCODINGS,
    UCI1968_FLIPPED,
    UCI1968_MOVES,
    encode,
    is_black_to_move,
    legal_actions,
)
from selfmate.encodings.records import (
    PositionRecords,
    actions_of,
    is_white_to_move,
    legal_of,
    tokens_of,
)
from selfmate.rules import Board, Ragged

ACTION_ENCODING = "uci1968"
ACTIONS = ACTION_ENCODINGS[ACTION_ENCODING].size
MOVES = UCI1968_MOVES

# Some words of the vocabulary of tokens78, and where some tokens stand; docs/encodings.md has all.
EMPTY, YES = 1, 15
OWN_ROOK, OWN_QUEEN, OWN_KING = 5, 6, 7
ENEMY_ROOK, ENEMY_QUEEN, ENEMY_KING = 11, 12, 13
SQUARES = slice(1, 65)
EN_PASSANT = 69

Actions = NDArray[np.int32]  # [B] or [N]
IsBlack = NDArray[np.bool_]  # [B]


@dataclass(frozen=True, kw_only=True)
class TokenBatch:
    """B positions as a transformer sees them."""

    tokens: NDArray[np.uint8]  # [B, 78]
    legal: Ragged  # legal actions of each position
    black: IsBlack  # [B] whether Black is to move

    def __len__(self) -> int:
        return len(self.tokens)

    def take(self, rows: NDArray[np.int64]) -> "TokenBatch":
        """The given rows, in this order."""
        return TokenBatch(
            tokens=self.tokens[rows], legal=self.legal.take(rows), black=self.black[rows]
        )

    def moves(self, actions: Actions) -> NDArray[np.uint16]:
        """[B] The move code of one action per position, legal there or not."""
        return MOVES[flipped(actions, self.black)]


def flipped(actions: Actions, black: IsBlack) -> Actions:
    """Actions from White's view to the mover's, or back."""
    return np.where(black, UCI1968_FLIPPED[actions], actions)


def encode_tokens(boards: Sequence[Board]) -> TokenBatch:
    """The token batch of the boards' positions."""
    legal, black = Ragged(*legal_actions(ACTION_ENCODING, boards)), is_black_to_move(boards)
    return TokenBatch(
        tokens=encode("tokens78", boards), legal=_flipped_legal(legal, black), black=black
    )


def tokens_of_records(records: PositionRecords) -> TokenBatch:
    """The token batch of position records."""
    legal, black = legal_of(ACTION_ENCODING, records), ~is_white_to_move(records)
    return TokenBatch(tokens=tokens_of(records), legal=_flipped_legal(legal, black), black=black)


def flipped_actions_of_records(records: PositionRecords, moves: NDArray[np.uint16]) -> Actions:
    """[B] The action of one move per position, seen from the side to move."""
    return flipped(actions_of(ACTION_ENCODING, records, moves), ~is_white_to_move(records))


def _flipped_legal(legal: Ragged, black: IsBlack) -> Ragged:
    return Ragged(flipped(legal.values, np.repeat(black, legal.counts)), legal.offsets)
