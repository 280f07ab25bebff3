"""Observations and actions by name: our encodings, and those of PettingZoo's `chess_v6`.

`chess_v6` numbers a move by the file and rank of its from-square and one of 73 kinds, seen from the
side to move. Its observation [8, 8, 111] has the last eight boards; row 0 is the viewer's far rank.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.encodings import (
    ACTION_ENCODINGS,
    ENCODINGS,
    UCI1968_FLIPPED,
    UCI1968_MOVES,
    encode,
    legal_actions,
    moves_of_actions,
)
from selfmate.rules import Board

CHESS_V6 = "chess_v6"
OBSERVATIONS = (*ENCODINGS, CHESS_V6)
ACTIONS = (*ACTION_ENCODINGS, CHESS_V6)
V6_ACTIONS = 4672
V6_SHAPE = (8, 8, 111)
V6_BOARDS, V6_PLANES, V6_FIRST = 8, 13, 7  # boards of 13 planes each, after 7 of the state
MOVE_KINDS, KNIGHT_KINDS, PROMOTION_KINDS = 73, 56, 64  # how many, and where they begin

Mask = NDArray[np.int8]


def check_names(observation: str, actions: str) -> None:
    """ValueError lists the names there are."""
    if observation not in OBSERVATIONS:
        raise ValueError(f"no observation {observation!r}; there are: {', '.join(OBSERVATIONS)}")
    if actions not in ACTIONS:
        raise ValueError(f"no action encoding {actions!r}; there are: {', '.join(ACTIONS)}")


def action_count(actions: str) -> int:
    return V6_ACTIONS if actions == CHESS_V6 else ACTION_ENCODINGS[actions].size


def observation_bounds(name: str) -> tuple[tuple[int, ...], Any, int]:
    """Shape, type and largest value; the smallest is 0."""
    if name == CHESS_V6:
        return V6_SHAPE, np.bool_, 1
    encoding = ENCODINGS[name]
    return encoding.shape, np.dtype(encoding.dtype).type, 15 if name == "tokens78" else 1


class ActionCoding:
    """The legal actions of one board, and their moves."""

    def __init__(self, name: str) -> None:
        self.name, self.size = name, action_count(name)

    def legal(self, board: Board) -> NDArray[np.int32]:
        """The legal actions of a board."""
        if self.name == CHESS_V6:
            return V6_OF_UCI1968[_seen_by_mover(board)]
        return legal_actions(self.name, [board])[0]

    def mask(self, legal: NDArray[np.int32]) -> Mask:
        """[A] 1 where an action is legal."""
        mask = np.zeros(self.size, np.int8)
        mask[legal] = 1
        return mask

    def move(self, board: Board, action: int) -> int:
        """The code of a legal action's move."""
        if self.name == CHESS_V6:
            row = self.legal(board).tolist().index(action)
            return int(UCI1968_MOVES[legal_actions("uci1968", [board])[0][row]])
        return int(moves_of_actions(self.name, [board], np.array([action], np.int32))[0])


def _seen_by_mover(board: Board) -> NDArray[np.int32]:
    actions, _ = legal_actions("uci1968", [board])
    return actions if board.turn == "white" else UCI1968_FLIPPED[actions]


def _v6_of_uci1968() -> NDArray[np.int32]:
    """[1968] White's moves as actions of chess_v6; -1 for promotions of Black."""
    return np.array([_v6_action(int(code)) for code in UCI1968_MOVES], np.int32)


def _v6_action(code: int) -> int:
    start, end, promotion = code & 63, code >> 6 & 63, code >> 12
    files, ranks = end % 8 - start % 8, end // 8 - start // 8
    if promotion and ranks < 0:
        return -1
    square = start % 8 * 8 + start // 8
    return square * MOVE_KINDS + _v6_kind(files, ranks, promotion)


def _v6_kind(files: int, ranks: int, promotion: int) -> int:
    """0-55 queen moves by distance and direction, 56-63 knight moves, 64-72 underpromotions."""
    steps = range(-2, 3)
    jumps = [(x, y) for x in steps for y in steps if abs(x) + abs(y) == 3]
    if (files, ranks) in jumps:
        return KNIGHT_KINDS + jumps.index((files, ranks))
    if 0 < promotion < 4:  # knight, bishop, rook
        return PROMOTION_KINDS + 3 * (files + 1) + promotion - 1
    around = [(x, y) for x in range(-1, 2) for y in range(-1, 2) if x or y]
    direction = around.index((int(np.sign(files)), int(np.sign(ranks))))
    return (max(abs(files), abs(ranks)) - 1) * 8 + direction


V6_OF_UCI1968: NDArray[np.int32] = _v6_of_uci1968()


class Observer:
    """What an agent sees of one game. It is told of every position, in order."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._boards: list[NDArray[np.bool_]] = []  # [13, 8, 8] in White's view, the latest first
        self._seen: set[int] = set()

    def reset(self, board: Board) -> None:
        self._boards, self._seen = [], set()
        self.add(board)

    def add(self, board: Board) -> None:
        """The position after a move."""
        if self._name == CHESS_V6:
            planes = _v6_board(board, board.hash in self._seen)
            self._boards = [planes, *self._boards[: V6_BOARDS - 1]]
            self._seen.add(board.hash)

    def observe(self, board: Board, *, black: bool) -> NDArray[Any]:
        """Of the latest position. `black` turns chess_v6 to that side; ours are seen as they are
        documented."""
        if self._name != CHESS_V6:
            seen: NDArray[Any] = encode(self._name, [board])[0]
            return seen
        return _v6_observation(self._boards, board, black)


def _v6_board(board: Board, repeated: bool) -> NDArray[np.bool_]:
    """[13, 8, 8] Pieces and repetition. A pawn that can be taken en passant stands on its own first
    rank."""
    features = encode("features839", [board])[0]
    planes = np.zeros((V6_PLANES, 8, 8), np.bool_)
    planes[:12] = features[:768].reshape(12, 8, 8) > 0
    planes[12] = repeated
    for square in np.flatnonzero(features[773:837]).tolist():
        file, white = square % 8, square < 32
        pawns = planes[0 if white else 6]
        pawns[3 if white else 4, file] = False
        pawns[0 if white else 7, file] = True
    return planes


def _v6_observation(
    boards: Sequence[NDArray[np.bool_]], board: Board, black: bool
) -> NDArray[np.bool_]:
    planes = np.zeros((V6_SHAPE[2], 8, 8), np.bool_)
    white_short, white_long, black_short, black_long = encode("features839", [board])[0, 769:773]
    white, other = (white_long, white_short), (black_long, black_short)
    rights = (*other, *white) if black else (*white, *other)
    for plane, right in enumerate(rights):
        planes[plane] = right > 0
    planes[4] = black
    planes[5].flat[min(int(board.fen().split()[4]) // 2, 63)] = True
    planes[6] = True
    order = [*range(6, 12), *range(6), 12] if black else range(V6_PLANES)
    for number, seen in enumerate(boards):
        first = V6_FIRST + V6_PLANES * number
        planes[first : first + V6_PLANES] = seen[order, ::-1] if black else seen[order]
    return np.ascontiguousarray(planes.transpose(1, 2, 0)[::-1])
