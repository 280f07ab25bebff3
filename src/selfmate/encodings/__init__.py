"""Positions as arrays and moves as numbers: names, shapes and versions of the core's encoders.

Every layout is drawn in docs/encodings.md. Squares count a1 = 0 ... h8 = 63; a move given as a
number of 16 bits is from | to << 6 | promotion << 12, with 1 knight ... 4 queen.

The functions take a GameBatch, or a sequence of Boards, and answer for all games in one call. What
is wrong with their arguments is said in a ValueError. The GIL is released meanwhile: do not step
the games from another thread.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from selfmate import _core
from selfmate._core import Board, GameBatch
from selfmate.encodings.layouts import (
    CODINGS,
    ENCODINGS,
    MOVE136,
    UCI1968_FLIPPED,
    Coding,
    Encoding,
)

__all__ = [
    "CODINGS",
    "ENCODINGS",
    "MOVE136",
    "UCI1968_FLIPPED",
    "Coding",
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


def encode(
    name: str,
    games: Games,
    *,
    out: NDArray[Any] | None = None,
    dtype: Literal["float32", "uint8"] | None = None,
    threads: int = 1,
) -> NDArray[Any]:
    """Positions as an array [B, *ENCODINGS[name].shape], written into `out` if that is given.

    The dtype is the encoding's own unless float32 is asked for.
    """
    return _core.encode(name, games, out, dtype, threads)


def is_black_to_move(boards: Sequence[Board]) -> NDArray[np.bool_]:
    """[B]"""
    return np.array([board.turn == "black" for board in boards], np.bool_)


def legal_move136(
    games: Games,
    *,
    dtype: Literal["float32", "uint8"] | None = None,
    threads: int = 1,
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Legal moves [N, 136] and offsets [B + 1]: game i owns rows offsets[i] to offsets[i + 1].

    A game's moves stand in the order of its legal list.
    """
    return _core.legal_move136(games, dtype, threads)


def legal_actions(
    coding: str, games: Games, *, threads: int = 1
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Legal actions [N] and offsets [B + 1]: game i owns actions[offsets[i]:offsets[i + 1]].

    They stand in the order of the legal list; what shares an index of from_to4096 is listed once.
    """
    return _core.legal_actions(coding, games, threads)


def action_mask(
    coding: str,
    games: Games,
    *,
    out: NDArray[np.uint8] | None = None,
    threads: int = 1,
) -> NDArray[np.uint8]:
    """A mask [B, CODINGS[coding].size]: 1 where the action is legal, else 0."""
    return _core.action_mask(coding, games, out, threads)


def actions_of_moves(
    coding: str, games: Games, moves: NDArray[np.uint16], *, threads: int = 1
) -> NDArray[np.int32]:
    """The action [B] of one move [B] per game; every move must be legal in its game."""
    return _core.actions_of_moves(coding, games, moves, threads)


def moves_of_actions(
    coding: str, games: Games, actions: NDArray[np.int32], *, threads: int = 1
) -> NDArray[np.uint16]:
    """The move [B] of one action [B] per game; every action must be legal in its game.

    A promotion coded by from_to4096 comes back as the queen's.
    """
    return _core.moves_of_actions(coding, games, actions, threads)
