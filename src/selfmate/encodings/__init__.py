"""Encodings of positions as arrays and of moves as action indices.

Every layout is drawn in docs/encodings.md. Squares count a1 = 0 ... h8 = 63. A 16-bit move code is
from | to << 6 | promotion << 12, with promotions 1 knight ... 4 queen and 0 for none.

The functions take a GameBatch or a sequence of Boards and answer for all B games in one call. They
raise ValueError for wrong arguments. They release the GIL: do not step the games from another
thread meanwhile.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

import selfmate._core as core
from selfmate._core import Board, GameBatch

__all__ = [
    "ACTION_ENCODINGS",
    "AZ4672_MOVES",
    "ENCODINGS",
    "MOVE136",
    "UCI1968_FLIPPED",
    "ActionEncoding",
    "Encoding",
    "action_mask",
    "actions_of_moves",
    "encode",
    "is_black_to_move",
    "legal_actions",
    "legal_move136",
    "moves_of_actions",
]

Games = GameBatch | Sequence[Board]
Number = TypeVar("Number", np.uint16, np.int32)


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """A way to write one position, or one move, into an array."""

    name: str
    shape: tuple[int, ...]
    dtype: str  # the smallest exact type; float32 is available for every encoding
    version: int  # raised whenever a value changes its meaning
    description: str


@dataclass(frozen=True, kw_only=True)
class ActionEncoding:
    """A numbering of moves, from 0 to size - 1."""

    name: str
    size: int
    version: int  # raised whenever an index changes its meaning
    description: str


_ENCODING_DESCRIPTIONS = {
    "features839": "pieces, side, castling, en passant and counters, flat, from White's side",
    "onehot768": "one bit per piece and square, flat, from White's side",
    "tokens78": "78 tokens of a vocabulary of 16, from the side to move",
    "planes68": "four boards, state and eight hand-made planes, from the side to move",
    "planes96": "planes68 and 28 planes of attacks, hanging and pinned pieces, and checks",
    "move136": "one move: from, to, promotion, and whether it captures, checks or castles",
}
_ACTION_ENCODING_DESCRIPTIONS = {
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
        for name, shape, dtype, version in core.encoding_layouts()
    }


def _action_encodings() -> dict[str, ActionEncoding]:
    return {
        name: ActionEncoding(
            name=name, size=size, version=version, description=_ACTION_ENCODING_DESCRIPTIONS[name]
        )
        for name, size, version in core.action_encoding_layouts()
    }


def _read_only(table: NDArray[Number]) -> NDArray[Number]:
    table.flags.writeable = False
    return table


_every_encoding = _encodings()
MOVE136: Encoding = _every_encoding.pop("move136")
"""The encoding of a move; all others encode a position."""
ENCODINGS: Mapping[str, Encoding] = MappingProxyType(_every_encoding)
ACTION_ENCODINGS: Mapping[str, ActionEncoding] = MappingProxyType(_action_encodings())

UCI1968_FLIPPED: NDArray[np.int32] = _read_only(core.uci1968_flipped())
"""[1968] For each uci1968 action the action of the same move with the ranks flipped. uci1968 is
absolute; a net that sees the board from the side to move needs this for Black's moves."""

UCI1968_MOVES: NDArray[np.uint16] = _read_only(core.uci1968_moves())
"""[1968] The move code of each uci1968 action."""

AZ4672_MOVES: NDArray[np.uint16] = _read_only(core.az4672_moves())
"""[4672] The move code of each az4672 action in the view of the side to move; 0 where the board
ends."""


def encode(
    name: str,
    games: Games,
    *,
    out: NDArray[Any] | None = None,
    dtype: Literal["float32", "uint8"] | None = None,
    threads: int = 1,
) -> NDArray[Any]:
    """Positions as an array [B, *ENCODINGS[name].shape], written into `out` if it is given.

    The dtype is the encoding's own unless float32 is requested. `planes68`, `planes96` and
    `tokens78` are in the view of the side to move, `features839` and `onehot768` in White's.

    Examples:
        >>> from selfmate import Board, encode
        >>> planes = encode("planes68", [Board(), Board()])
        >>> planes.shape, planes.dtype.name
        ((2, 68, 8, 8), 'float32')
        >>> planes[0, 0, 1].tolist()  # own pawns on the second rank
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    return core.encode(name, games, out, dtype, threads)


def is_black_to_move(boards: Sequence[Board]) -> NDArray[np.bool_]:
    """[B] Whether Black is to move."""
    return np.array([board.turn == "black" for board in boards], np.bool_)


def legal_move136(
    games: Games,
    *,
    dtype: Literal["float32", "uint8"] | None = None,
    threads: int = 1,
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The move136 of all legal moves [N, 136] and offsets [B + 1].

    Game i owns rows offsets[i] to offsets[i + 1], in the order of its legal moves.
    """
    return core.legal_move136(games, dtype, threads)


def legal_actions(
    action_encoding: str, games: Games, *, threads: int = 1
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Legal actions [N] and offsets [B + 1].

    Game i owns actions[offsets[i] : offsets[i + 1]], in the order of its legal moves. Promotions
    that share an index of from_to4096 are listed once.
    """
    return core.legal_actions(action_encoding, games, threads)


def action_mask(
    action_encoding: str,
    games: Games,
    *,
    out: NDArray[np.uint8] | None = None,
    threads: int = 1,
) -> NDArray[np.uint8]:
    """A mask [B, ACTION_ENCODINGS[action_encoding].size]: 1 where the action is legal, else 0."""
    return core.action_mask(action_encoding, games, out, threads)


def actions_of_moves(
    action_encoding: str, games: Games, moves: NDArray[np.uint16], *, threads: int = 1
) -> NDArray[np.int32]:
    """The action [B] of one move [B] per game; every move must be legal in its game."""
    return core.actions_of_moves(action_encoding, games, moves, threads)


def moves_of_actions(
    action_encoding: str, games: Games, actions: NDArray[np.int32], *, threads: int = 1
) -> NDArray[np.uint16]:
    """The move [B] of one action [B] per game; every action must be legal in its game.

    A promotion encoded by from_to4096 decodes to the promotion to a queen.
    """
    return core.moves_of_actions(action_encoding, games, actions, threads)
