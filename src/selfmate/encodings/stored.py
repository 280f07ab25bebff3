"""A position as games are kept by the million: all that encodings and the legal moves need.

The 63 bytes of a row hold the last four boards, side to move, castling, en passant, both clocks
and how often the position stood there before; core/encode/stored.h draws them. Planes and actions
are made when rows are loaded, so the same rows serve every net. Rows may come from any file: what
is no position is refused in a ValueError that names its row.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from selfmate import _core
from selfmate.encodings import Games
from selfmate.encodings.layouts import ENCODINGS
from selfmate.rules import GameRecords
from selfmate.rules.ragged import Ragged

STORED_BYTES = _core.STORED_BYTES
VERSION = 2  # raised whenever a byte changes its meaning
FLAGS = 56  # the byte whose lowest bit says that Black is to move

Stored = NDArray[np.uint8]  # [B, STORED_BYTES]


class StoredGames(NamedTuple):
    """Positions of games that were played, a row each."""

    stored: Stored
    moves: NDArray[np.uint16]  # [B] played there
    games: NDArray[np.int64]  # [B] their numbers in the records
    plies_left: NDArray[np.uint16]  # [B] to the end of the game, that move included


def store(games: Games, *, threads: int = 1) -> Stored:
    """The games' positions."""
    return _core.store_games(games, threads)


def store_records(
    records: GameRecords, games: NDArray[np.int64], *, skip_plies: int, threads: int = 1
) -> StoredGames:
    """All positions of some games in which a move was played, but for the first of each game."""
    return StoredGames(*_core.store_records(records, skip_plies, threads, games))


def planes_of(
    stored: Stored, *, out: NDArray[np.float32] | None = None, threads: int = 1
) -> NDArray[np.float32]:
    """The planes68 [B, 68, 8, 8], bit for bit those of the games, in `out` if that is given."""
    if out is None:
        out = np.empty((len(stored), *ENCODINGS["planes68"].shape), np.float32)
    return _core.planes_of_stored(stored, out, threads)


def tokens_of(stored: Stored, *, threads: int = 1) -> NDArray[np.uint8]:
    """The tokens78 [B, 78]."""
    return _core.tokens_of_stored(stored, threads)


def legal_of(coding: str, stored: Stored, *, threads: int = 1) -> Ragged:
    """The legal actions, in the order of the legal list."""
    return Ragged(*_core.legal_of_stored(coding, stored, threads))


def actions_of(
    coding: str, stored: Stored, moves: NDArray[np.uint16], *, threads: int = 1
) -> NDArray[np.int32]:
    """The action [B] of one move [B] per position; every move must be legal in its position."""
    return _core.actions_of_stored(coding, stored, moves, threads)


def is_white_to_move(stored: Stored) -> NDArray[np.bool_]:
    """[B]"""
    white: NDArray[np.bool_] = stored[:, FLAGS] & 1 == 0
    return white
