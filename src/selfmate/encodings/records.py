"""Position records: a position in 63 bytes, as datasets and replays keep them by the million.

A record holds the last four boards, side to move, castling rights, en passant, both clocks and the
number of earlier occurrences: all that the encodings and the legal moves need. The layout is drawn
in core/encode/stored.h. Planes, tokens and actions are made when records are loaded, so the same
records serve every net. Records may come from any file: bytes that are not a legal position raise a
ValueError that names the row.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from selfmate import _core
from selfmate.encodings import ENCODINGS, Games
from selfmate.rules import GameRecords, Ragged

RECORD_BYTES = _core.RECORD_BYTES
VERSION = 2  # raised whenever a byte changes its meaning
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
    return _core.encode_records(games, threads)


def encode_game_records(
    game_records: GameRecords, games: NDArray[np.int64], *, skip_plies: int, threads: int = 1
) -> RecordedPositions:
    """Positions of the chosen games in which a move was played, without the first `skip_plies`."""
    return RecordedPositions(*_core.encode_game_records(game_records, skip_plies, threads, games))


def planes_of(
    records: PositionRecords, *, out: NDArray[np.float32] | None = None, threads: int = 1
) -> NDArray[np.float32]:
    """The planes68 [B, 68, 8, 8], bit for bit those of the games, in `out` if it is given."""
    if out is None:
        out = np.empty((len(records), *ENCODINGS["planes68"].shape), np.float32)
    return _core.planes_of_records(records, out, threads)


def tokens_of(records: PositionRecords, *, threads: int = 1) -> NDArray[np.uint8]:
    """The tokens78 [B, 78]."""
    return _core.tokens_of_records(records, threads)


def legal_of(action_encoding: str, records: PositionRecords, *, threads: int = 1) -> Ragged:
    """The legal actions of each position, in the order of its legal moves."""
    return Ragged(*_core.legal_of_records(action_encoding, records, threads))


def actions_of(
    action_encoding: str, records: PositionRecords, moves: NDArray[np.uint16], *, threads: int = 1
) -> NDArray[np.int32]:
    """The action [B] of one move [B] per position; every move must be legal in its position."""
    return _core.actions_of_records(action_encoding, records, moves, threads)


def is_white_to_move(records: PositionRecords) -> NDArray[np.bool_]:
    """[B] Whether White is to move."""
    white: NDArray[np.bool_] = records[:, FLAGS] & 1 == 0
    return white
