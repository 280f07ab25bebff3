"""The teacher: alpha-beta over a few plies, every move with its exact score. See docs/teacher.md.

The functions take a GameBatch, or a sequence of Boards, and answer for all games in one call, with
the GIL released: do not step the games from another thread meanwhile.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate import _core
from selfmate._core import TeacherSearch
from selfmate.encodings import Games

__all__ = [
    "MOST_DEPTH",
    "MoveScores",
    "TeacherSearch",
    "best_moves",
    "mate_in",
    "score_moves",
    "values_side_to_move",
]

MOST_DEPTH = 6
MATE_CENTIPAWNS = 10_000  # less one for each ply to the mate
VALUE_SCALE_PAWNS = 4.0  # a pawn ahead is worth tanh(1/4) = 0.24, a queen 0.98, a mate 1


@dataclass(frozen=True)
class MoveScores:
    """Moves of many games: game i owns the rows offsets[i] to offsets[i + 1], one at least.

    The teacher's are all legal moves, in the order of the legal lists.
    """

    moves: NDArray[np.uint16]  # [N]
    centipawns: NDArray[np.int32]  # [N], for the side to move
    offsets: NDArray[np.int64]  # [B + 1]

    @property
    def pawns(self) -> NDArray[np.float32]:
        """The scores [N] in pawns; a mate on the n-th ply is 100 - n/100."""
        return np.float32(0.01) * self.centipawns.astype(np.float32)


def score_moves(games: Games, *, depth: int = 2, threads: int = 1) -> MoveScores:
    """The exact score of every legal move after `depth` plies (1..6)."""
    return MoveScores(*_core.teacher_scores(games, depth, threads))


def best_moves(scores: MoveScores, dice: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """The best move [B] of each game; among equals the number in `dice` [B] decides."""
    return _core.choose_best(scores.moves, scores.centipawns, scores.offsets, dice)


def values_side_to_move(scores: MoveScores) -> NDArray[np.float32]:
    """What each game [B] is worth, in [-1, 1]: tanh(score of the best move / 4 pawns).

    Every game must have a legal move.
    """
    best = np.maximum.reduceat(scores.pawns, scores.offsets[:-1])
    return np.tanh(best / np.float32(VALUE_SCALE_PAWNS))


def mate_in(centipawns: int) -> int | None:
    """Moves to the mate a score stands for, negative for the side to move being mated."""
    plies = MATE_CENTIPAWNS - abs(centipawns)
    if plies > MOST_DEPTH:
        return None
    return (plies + 1) // 2 if centipawns > 0 else -(plies // 2)
