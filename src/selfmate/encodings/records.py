"""Position records: a position in 63 bytes, as datasets and replays keep them by the million.

A record holds the last four boards, side to move, castling rights, en passant, both clocks and the
number of earlier occurrences: all that the encodings and the legal moves need. The layout is drawn
in core/encode/position_record.h. Planes, tokens and actions are made when records are loaded, so
the same records serve every net. Records may come from any file: bytes that are not a legal
position raise a ValueError that names the row.

A token batch holds the tokens78 of positions with their legal moves as uci1968 actions. Both are
seen from the side to move: with Black to move the board is flipped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import selfmate._core as core
from selfmate.encodings import (
    ACTION_ENCODINGS,
    ENCODINGS,
    UCI1968_FLIPPED,
    UCI1968_MOVES,
    Games,
    encode,
    is_black_to_move,
    legal_actions,
)
from selfmate.rules import Board, GameRecords, Ragged

RECORD_BYTES = core.RECORD_BYTES
VERSION = 2  # raised whenever a byte changes its meaning
BOARD_BYTES = 32  # the current board, two squares a byte
FLAGS = 56  # index of the byte whose lowest bit is set when Black is to move

PositionRecords = NDArray[np.uint8]  # [B, RECORD_BYTES]


class RecordedPositions(NamedTuple):
    """Positions of games in which a move was played, one row each."""

    records: PositionRecords  # [B, 63]
    moves: NDArray[np.uint16]  # [B] the move played
    games: NDArray[np.int64]  # [B] index of the game in the game records
    plies_left: NDArray[np.uint16]  # [B] to the end of the game, this move included


def encode_records(games: Games, *, threads: int = 1) -> PositionRecords:
    """Records [B, 63] of the games' current positions."""
    return core.encode_records(games, threads)


def encode_game_records(
    game_records: GameRecords, games: NDArray[np.int64], *, skip_plies: int, threads: int = 1
) -> RecordedPositions:
    """Positions of the chosen games in which a move was played, without the first `skip_plies`."""
    return RecordedPositions(*core.encode_game_records(game_records, skip_plies, threads, games))


def planes_of(
    records: PositionRecords, *, out: NDArray[np.float32] | None = None, threads: int = 1
) -> NDArray[np.float32]:
    """The planes96 [B, 96, 8, 8], bit for bit those of the games, in `out` if it is given."""
    if out is None:
        out = np.empty((len(records), *ENCODINGS["planes96"].shape), np.float32)
    return core.planes_of_records(records, out, threads)


def tokens_of(records: PositionRecords, *, threads: int = 1) -> NDArray[np.uint8]:
    """The tokens78 [B, 78]."""
    return core.tokens_of_records(records, threads)


def packed_of(records: PositionRecords, *, threads: int = 1) -> NDArray[np.uint8]:
    """The packed features [B, 107], seen from the side to move."""
    return core.packed_of_records(records, threads)


def legal_of(action_encoding: str, records: PositionRecords, *, threads: int = 1) -> Ragged:
    """The legal actions of each position, in the order of its legal moves."""
    return Ragged(*core.legal_of_records(action_encoding, records, threads))


def actions_of(
    action_encoding: str, records: PositionRecords, moves: NDArray[np.uint16], *, threads: int = 1
) -> NDArray[np.int32]:
    """The action [B] of one move [B] per position; every move must be legal in its position."""
    return core.actions_of_records(action_encoding, records, moves, threads)


def is_white_to_move(records: PositionRecords) -> NDArray[np.bool_]:
    """[B] Whether White is to move."""
    white: NDArray[np.bool_] = records[:, FLAGS] & 1 == 0
    return white


def piece_counts(records: PositionRecords) -> NDArray[np.int64]:
    """[B] The pieces on the board, kings and pawns included."""
    squares = records[:, :BOARD_BYTES]
    low, high = np.count_nonzero(squares & 15, axis=1), np.count_nonzero(squares >> 4, axis=1)
    counts: NDArray[np.int64] = low + high
    return counts


ACTION_ENCODING = "uci1968"
ACTIONS = ACTION_ENCODINGS[ACTION_ENCODING].size
MOVES = UCI1968_MOVES

# Some words of the vocabulary of tokens78, and where some tokens stand; docs/encodings.md has all.
EMPTY, YES = 1, 15
OWN_BISHOP, OWN_ROOK, OWN_QUEEN, OWN_KING = 3, 5, 6, 7
ENEMY_BISHOP, ENEMY_ROOK, ENEMY_QUEEN, ENEMY_KING = 9, 11, 12, 13
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
