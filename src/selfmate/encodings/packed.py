"""Positions of features839 in 107 bytes, turned so that the mover always is White.

A net that sees all positions from the mover's side has half as much to learn. Bytes 0-95 are the
twelve boards of pieces and 96-103 the en-passant board, a byte a rank, file a its highest bit; 104
holds the side to move in bit 7, which is set, and KQkq in bits 6 to 3; 105 and 106 are the two
counters, capped as features839 caps them.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from selfmate import _core
from selfmate.encodings import Games, legal_actions
from selfmate.encodings.layouts import ENCODINGS
from selfmate.rules.ragged import Ragged, SparseRows

CODING = "from_to4096"
PACKED_BYTES = 107
INPUTS = ENCODINGS["features839"].shape[0]
TURN = 56 * 64 + 56  # both squares of a from_to4096 with their ranks mirrored

Packed = NDArray[np.uint8]  # [B, 107]
Action = TypeVar("Action", np.int16, np.int32, np.int64)


def encode_packed(games: Games, *, threads: int = 1) -> Packed:
    """The games' positions [B, 107], seen from the side to move."""
    return _core.encode_packed(games, threads)


def inputs_of(packed: Packed) -> SparseRows:
    """The features839 that are not zero."""
    return SparseRows(*_core.inputs_of_packed(packed))


def legal_turned(games: Games, black: NDArray[np.bool_]) -> Ragged:
    """The games' legal actions of from_to4096, seen from the side to move."""
    actions, offsets = legal_actions(CODING, games)
    turns = np.where(black, np.int32(TURN), np.int32(0))
    return Ragged(actions ^ np.repeat(turns, np.diff(offsets)), offsets)


def turned_actions(actions: NDArray[Action], black: NDArray[np.bool_]) -> NDArray[Action]:
    """Actions of from_to4096 from the mover's side, and back; -1 stands for none and stays."""
    return np.where(black & (actions >= 0), actions ^ actions.dtype.type(TURN), actions)
