"""Positions of features839 in 107 bytes, exact both ways.

Bytes 0-95 are the twelve boards of pieces and 96-103 the en-passant board, a byte a rank; 104 holds
the side to move in bit 7 and KQkq in bits 6 to 3; 105 and 106 are the counters, capped as
features839 caps them. Because a byte is a rank, a board is turned round by moving bytes.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings.layouts import ENCODINGS

PACKED_BYTES = 107
TURN = 56 * 64 + 56  # both squares of a from_to4096 with their ranks mirrored

Packed = NDArray[np.uint8]  # [B, 107]
Features = NDArray[np.float32]  # [B, 839]
Action = TypeVar("Action", np.int16, np.int32, np.int64)

_WHITE_TO_MOVE, _WHITE_CASTLES, _BLACK_CASTLES = 0x80, 0x60, 0x18
_HALFMOVE_CAP, _FULLMOVE_CAP = np.float32(100), np.float32(200)


def pack(features: Features) -> Packed:
    """Positions as `encode` writes them, [B, 839], in bytes."""
    packed = np.empty((len(features), PACKED_BYTES), np.uint8)
    bits = features != 0
    packed[:, :96] = np.packbits(bits[:, :768], axis=1)
    packed[:, 96:104] = np.packbits(bits[:, 773:837], axis=1)
    packed[:, 104:105] = np.packbits(bits[:, 768:773], axis=1)
    packed[:, 105] = np.rint(features[:, 837] * _HALFMOVE_CAP)
    packed[:, 106] = np.rint(features[:, 838] * _FULLMOVE_CAP)
    return packed


def unpack(packed: Packed) -> Features:
    """The positions [B, 839] as `encode` had written them, to the last bit."""
    features = np.empty((len(packed), *ENCODINGS["features839"].shape), np.float32)
    bits = np.unpackbits(packed[:, :105], axis=1)
    features[:, :768] = bits[:, :768]
    features[:, 768:773] = bits[:, 832:837]
    features[:, 773:837] = bits[:, 768:832]
    features[:, 837] = packed[:, 105] / _HALFMOVE_CAP
    features[:, 838] = packed[:, 106] / _FULLMOVE_CAP
    return features


def turned(packed: Packed) -> Packed:
    """The positions with the mover as White: where Black is to move, colours are swapped and ranks
    mirrored."""
    seen = packed.copy()
    black = np.flatnonzero(packed[:, 104] < _WHITE_TO_MOVE)
    boards = packed[black, :96].reshape(-1, 2, 6, 8)
    seen[black, :96] = boards[:, ::-1, :, ::-1].reshape(-1, 96)
    seen[black, 96:104] = packed[black, 103:95:-1]
    rights = packed[black, 104]
    swapped = (rights & _WHITE_CASTLES) >> 2 | (rights & _BLACK_CASTLES) << 2
    seen[black, 104] = _WHITE_TO_MOVE | swapped
    return seen


def turned_actions(actions: NDArray[Action], black: NDArray[np.bool_]) -> NDArray[Action]:
    """Actions of from_to4096 from the mover's side, and back; -1 stands for none and stays."""
    return np.where(black & (actions >= 0), actions ^ actions.dtype.type(TURN), actions)
