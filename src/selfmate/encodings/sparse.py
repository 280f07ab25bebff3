"""Positions and legal moves as sparse rows: the inputs of a net that are not zero."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import MOVE136, Games, encode, legal_move136
from selfmate.encodings.layouts import ENCODINGS
from selfmate.rules.ragged import SparseRows

PIECES, SQUARES = 12, 64
TURN = PIECES * SQUARES  # the place in features839
# `turned768` is onehot768 of the board as the mover sees it: own men first, own first rank below.
# `counts` is how many there are of each piece, White's first, and whether White is to move.
POSITION_INPUTS = {
    "onehot768": ENCODINGS["onehot768"].shape[0],
    "turned768": ENCODINGS["onehot768"].shape[0],
    "counts": PIECES + 1,
}
MOVE_INPUTS = MOVE136.shape[0]
CHECK = 134  # the place in move136
MIRROR = 56  # a square ^ MIRROR is on the same file, seen from the other side


def position_rows(encoding: str, games: Games) -> SparseRows:
    """A row a game, in one of POSITION_INPUTS."""
    if encoding == "counts":
        return set_inputs(_counts(games))
    rows = set_inputs(encode("onehot768", games))
    if encoding == "turned768":
        turned = np.repeat(~is_white_to_move(games), np.diff(rows.offsets))
        other_men = (rows.columns + TURN // 2) % TURN
        rows.columns[turned] = other_men[turned] ^ MIRROR
    return rows


def legal_move_rows(encoding: str, games: Games) -> tuple[SparseRows, NDArray[np.int64]]:
    """The move136 of all legal moves [N], turned where positions are, and offsets [B + 1] of the
    games among them."""
    moves, offsets = legal_move136(games)
    rows = set_inputs(moves)
    if encoding == "turned768":
        turned = np.repeat(~is_white_to_move(games), np.diff(rows.offsets[offsets]))
        rows.columns[turned & (rows.columns < 2 * SQUARES)] ^= MIRROR
    return rows, offsets


def is_white_to_move(games: Games) -> NDArray[np.bool_]:
    """[B]"""
    white: NDArray[np.bool_] = encode("features839", games)[:, TURN] == 1
    return white


def gives_check(moves: SparseRows) -> NDArray[np.bool_]:
    """[N] Of rows of move136."""
    found = np.zeros(len(moves), np.bool_)
    places = np.flatnonzero(moves.columns == CHECK)
    found[np.searchsorted(moves.offsets, places, side="right") - 1] = True
    return found


def set_inputs(dense: NDArray[Any]) -> SparseRows:
    """What is not zero in [B, width]."""
    width, numbers = dense.shape[1], dense.ravel()
    places = np.flatnonzero(numbers != 0)
    return SparseRows(
        (places % width).astype(np.int32),
        numbers[places].astype(np.float32),
        np.searchsorted(places, np.arange(0, dense.size + 1, width)),
    )


def _counts(games: Games) -> NDArray[np.float32]:
    """[B, 13]"""
    features = encode("features839", games)
    boards = features[:, :TURN].reshape(len(features), PIECES, SQUARES)
    return np.column_stack([boards.sum(axis=2), features[:, TURN]])
