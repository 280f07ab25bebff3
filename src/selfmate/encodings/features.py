"""Inputs of nets as sparse rows, and packed features: a position in 107 bytes.

Packed features, and actions beside them, are seen from the side to move: the board is flipped so
that the mover always plays White. B is the number of positions.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import selfmate._core as core
from selfmate.encodings import ENCODINGS, MOVE136, Games, encode, legal_actions, legal_move136
from selfmate.rules import Ragged, SparseRows

ACTION_ENCODING = "from_to4096"
QUEEN_OR_NONE = (0, 4)  # the promotions of moves that stand for an action of it
PACKED_BYTES = 107
MOVE_ROWS = core.MOVE_ROWS  # of weights, from which `move_rows` picks those of an action
VIEW_MOVE_ROWS = core.VIEW_MOVE_ROWS  # the same for `view_move_rows`
UNDERPROMOTION_ROWS = slice(core.FIRST_UNDERPROMOTION_ROW, core.FIRST_MOVE_KIND_ROW)
FLIP = 56 * 64 + 56  # a from_to4096 action ^ FLIP has the ranks of both squares flipped

PIECES, SQUARES = 12, 64
TURN = PIECES * SQUARES  # index of the side to move in features839
# `turned768` is onehot768 of the flipped board: own pieces first, own first rank at the bottom.
# `counts` holds the number of each of the twelve pieces, White's first, and 1 if White is to move.
POSITION_INPUTS = {
    "onehot768": ENCODINGS["onehot768"].shape[0],
    "turned768": ENCODINGS["onehot768"].shape[0],
    "counts": PIECES + 1,
}
MOVE_INPUTS = MOVE136.shape[0]
CHECK = 134  # index of "gives check" in move136
FLIP_SQUARE = 56  # square ^ FLIP_SQUARE is the square of the same file with the rank flipped

Packed = NDArray[np.uint8]  # [B, 107]
Action = TypeVar("Action", np.int16, np.int32, np.int64)


# Packed features and the actions that go with them


def encode_packed(games: Games, *, threads: int = 1) -> Packed:
    """Packed features [B, 107] of the games' positions, seen from the side to move."""
    return core.encode_packed(games, threads)


def inputs_of(packed: Packed, features: str) -> SparseRows:
    """The non-zero values of packed positions, as features839 or attacks3399."""
    return SparseRows(*core.inputs_of_packed(packed, features))


def move_rows(packed: Packed, actions: Ragged) -> NDArray[np.int32]:
    """[N, 5] For each action of packed positions the numbers of its squares, of its piece and
    destination, of its kind (what it takes, who attacks its squares), of its bargain (what it
    takes, what the enemy can take then) and of its checks (how strong its own check is, and the
    enemy's strongest answer). A Q-net has weights for each of these numbers."""
    return core.move_rows_of_packed(packed, actions.values, actions.offsets)


def views_of(packed: Packed, *, king_buckets: int, attacks: bool) -> SparseRows:
    """The pieces of packed positions as each side sees them, from its own end of the board and with
    its king on the files e to h: row 2 i is the mover's view of position i, row 2 i + 1 that of
    its opponent. Inputs are told apart by the place of the own king, and by who attacks them."""
    columns, offsets = core.views_of_packed(packed, king_buckets=king_buckets, attacks=attacks)
    return SparseRows(columns, np.ones(len(columns), np.float32), offsets)


def view_move_rows(packed: Packed, action_encoding: str, actions: Ragged) -> NDArray[np.int32]:
    """[N, 3] For each action of packed positions the numbers of its squares, of its piece and
    destination, and of its kind (what it takes, who attacks its squares, whether it checks), in
    the mover's view. Actions are those of az4672, or of from_to4096 in the mover's view. A sparse
    net has weights for each of these numbers."""
    return core.view_move_rows_of_packed(packed, action_encoding, actions.values, actions.offsets)


def flipped_legal_actions(games: Games, black: NDArray[np.bool_]) -> Ragged:
    """Legal from_to4096 actions seen from the side to move; `black` [B] is where Black moves."""
    actions, offsets = legal_actions(ACTION_ENCODING, games)
    flips = np.where(black, np.int32(FLIP), np.int32(0))
    return Ragged(actions ^ np.repeat(flips, np.diff(offsets)), offsets)


def flipped_actions(actions: NDArray[Action], black: NDArray[np.bool_]) -> NDArray[Action]:
    """from_to4096 actions [B] from White's view to the mover's, or back; -1 (no action) stays."""
    return np.where(black & (actions >= 0), actions ^ actions.dtype.type(FLIP), actions)


# Positions and legal moves as the move scorer sees them


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """Positions and the moves to score, at least one per position."""

    positions: SparseRows  # [B]
    is_white: NDArray[np.bool_]  # [B] whether White is to move
    moves: SparseRows  # [N]
    offsets: NDArray[np.int64]  # [B + 1] position i has the rows offsets[i] to offsets[i + 1]


def position_rows(encoding: str, games: Games) -> SparseRows:
    """Positions [B, POSITION_INPUTS[encoding]] as sparse rows."""
    if encoding == "counts":
        return nonzero_rows(_piece_counts(games))
    rows = nonzero_rows(encode("onehot768", games))
    if encoding == "turned768":
        flipped = np.repeat(~is_white_to_move(games), np.diff(rows.offsets))
        other_color = (rows.columns + TURN // 2) % TURN
        rows.columns[flipped] = other_color[flipped] ^ FLIP_SQUARE
    return rows


def legal_move_rows(encoding: str, games: Games) -> tuple[SparseRows, NDArray[np.int64]]:
    """The move136 of all legal moves [N, 136] as sparse rows, and offsets [B + 1] of the games.

    Squares are flipped where `position_rows` of the same encoding flips the board.
    """
    moves, offsets = legal_move136(games)
    rows = nonzero_rows(moves)
    if encoding == "turned768":
        flipped = np.repeat(~is_white_to_move(games), np.diff(rows.offsets[offsets]))
        rows.columns[flipped & (rows.columns < 2 * SQUARES)] ^= FLIP_SQUARE
    return rows, offsets


def is_white_to_move(games: Games) -> NDArray[np.bool_]:
    """[B] Whether White is to move."""
    white: NDArray[np.bool_] = encode("features839", games)[:, TURN] == 1
    return white


def gives_check(moves: SparseRows) -> NDArray[np.bool_]:
    """[N] Whether each move gives check, from rows of move136."""
    found = np.zeros(len(moves), np.bool_)
    places = np.flatnonzero(moves.columns == CHECK)
    found[np.searchsorted(moves.offsets, places, side="right") - 1] = True
    return found


def nonzero_rows(dense: NDArray[Any]) -> SparseRows:
    """The non-zero values of an array [B, width]."""
    width, numbers = dense.shape[1], dense.ravel()
    places = np.flatnonzero(numbers != 0)
    return SparseRows(
        (places % width).astype(np.int32),
        numbers[places].astype(np.float32),
        np.searchsorted(places, np.arange(0, dense.size + 1, width)),
    )


def _piece_counts(games: Games) -> NDArray[np.float32]:
    """[B, 13]"""
    features = encode("features839", games)
    boards = features[:, :TURN].reshape(len(features), PIECES, SQUARES)
    return np.column_stack([boards.sum(axis=2), features[:, TURN]])
