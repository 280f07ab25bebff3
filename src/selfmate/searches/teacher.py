"""The teacher: an alpha-beta search of a few plies that scores every legal move exactly.

`docs/teacher.md` has its evaluation. The functions take a GameBatch or a sequence of Boards and
answer for all games in one call. They release the GIL: other threads must not change the games
meanwhile.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import selfmate._core as core
from selfmate._core import TeacherSearch
from selfmate.encodings import Games
from selfmate.rules import Ragged

__all__ = [
    "MAX_DEPTH",
    "MoveScores",
    "TeacherSearch",
    "best_moves",
    "mate_in",
    "ranks",
    "score_moves",
    "values_side_to_move",
]

MAX_DEPTH = 6
MATE_CENTIPAWNS = 10_000  # minus one for each ply to the mate
VALUE_SCALE_PAWNS = 4.0  # a pawn ahead is worth tanh(1/4) = 0.24, a queen 0.98, a mate 1


@dataclass(frozen=True)
class MoveScores:
    """Scored moves of many games: game i owns the rows offsets[i] to offsets[i + 1], at least one.

    The teacher scores all legal moves, in the order of the legal lists.
    """

    moves: NDArray[np.uint16]  # [N]
    centipawns: NDArray[np.int32]  # [N] in the view of the side to move
    offsets: NDArray[np.int64]  # [B + 1]

    @property
    def pawns(self) -> NDArray[np.float32]:
        """The scores [N] in pawns; a mate on the n-th ply is 100 - n/100."""
        return np.float32(0.01) * self.centipawns.astype(np.float32)


def score_moves(games: Games, *, depth: int = 2, threads: int = 1) -> MoveScores:
    """The exact score of every legal move after a search of `depth` plies (1..6)."""
    return MoveScores(*core.teacher_scores(games, depth, threads))


def best_moves(scores: MoveScores, seeds: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """[B] The best move of each game; ties are broken at random, by the seeds [B]."""
    return core.choose_best(scores.moves, scores.centipawns, scores.offsets, seeds)


def ranks(scores: MoveScores, moves: NDArray[np.uint16]) -> NDArray[np.int64]:
    """[B] How many legal moves of each game have a higher score than the given one [B]."""
    legal = Ragged(scores.moves.astype(np.int32), scores.offsets)
    chosen = scores.centipawns[legal.find(moves)]
    is_higher = scores.centipawns > np.repeat(chosen, legal.counts)
    return np.add.reduceat(is_higher, scores.offsets[:-1], dtype=np.int64)


def values_side_to_move(scores: MoveScores) -> NDArray[np.float32]:
    """[B] The value of each game, from -1 to 1: tanh(score of the best move / 4 pawns).

    Every game must have a legal move.
    """
    best = np.maximum.reduceat(scores.pawns, scores.offsets[:-1])
    return np.tanh(best / np.float32(VALUE_SCALE_PAWNS))


def mate_in(centipawns: int) -> int | None:
    """Moves to mate, if a score means one; negative when the side to move is mated."""
    plies = MATE_CENTIPAWNS - abs(centipawns)
    if plies > MAX_DEPTH:
        return None
    return (plies + 1) // 2 if centipawns > 0 else -(plies // 2)
