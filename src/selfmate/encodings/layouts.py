"""The tables of encodings and action codings. Sizes, types and versions come from the core."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from selfmate import _core


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """How one position, or one move, is written into an array."""

    name: str
    shape: tuple[int, ...]
    dtype: str  # the smallest exact type; float32 can always be asked for
    version: int  # raised whenever a value changes its meaning
    description: str


@dataclass(frozen=True, kw_only=True)
class Coding:
    """How moves are numbered."""

    name: str
    size: int
    version: int  # raised whenever an index changes its meaning
    description: str


_ENCODING_DESCRIPTIONS = {
    "features839": "pieces, side, castling, en passant and counters, flat, from White's side",
    "onehot768": "one bit per piece and square, flat, from White's side",
    "tokens78": "78 tokens of a vocabulary of 16, from the side to move",
    "planes68": "four boards, state and eight hand-made planes, from the side to move",
    "move136": "one move: from, to, promotion, and whether it captures, checks or castles",
}
_CODING_DESCRIPTIONS = {
    "from_to4096": "from and to; the four promotions of a pawn share an index",
    "uci1968": "every queen and knight move, then the promotions of both sides",
    "az4672": "from and one of 73 kinds of move, from the side to move",
}


def _encodings() -> dict[str, Encoding]:
    return {
        name: Encoding(
            name=name,
            shape=shape,
            dtype=dtype,
            version=version,
            description=_ENCODING_DESCRIPTIONS[name],
        )
        for name, shape, dtype, version in _core.encoding_layouts()
    }


def _codings() -> dict[str, Coding]:
    return {
        name: Coding(name=name, size=size, version=version, description=_CODING_DESCRIPTIONS[name])
        for name, size, version in _core.coding_layouts()
    }


def _flipped() -> NDArray[np.int32]:
    indices = _core.uci1968_flipped()
    indices.flags.writeable = False
    return indices


def _moves() -> NDArray[np.uint16]:
    moves = _core.uci1968_moves()
    moves.flags.writeable = False
    return moves


_every_encoding = _encodings()
MOVE136: Encoding = _every_encoding.pop("move136")
"""Encodes a move; all others encode a position."""
ENCODINGS: Mapping[str, Encoding] = MappingProxyType(_every_encoding)
CODINGS: Mapping[str, Coding] = MappingProxyType(_codings())

UCI1968_FLIPPED: NDArray[np.int32] = _flipped()
"""[1968] For each uci1968 index the index of the same move with the ranks flipped. uci1968 is
absolute; who sees the board from the side to move looks up Black's moves through this."""

UCI1968_MOVES: NDArray[np.uint16] = _moves()
"""The move that each index of uci1968 stands for."""
