"""A player with a style: of the moves that are nearly the best, it plays the one that ends nearest
to the enemy king."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from selfmate.players import PlayerName, check_settings, integer_setting
from selfmate.players.player import NO_LIMITS, Analysis, Choices, Limits, Player, SearchRequest
from selfmate.rules import Board, Ragged, uci_code, uci_text
from selfmate.searches.teacher import MoveScores, best_moves, mate_in, score_moves

DEFAULT_DEPTH, DEFAULT_MARGIN = 2, 60
MAX_DEPTH, MAX_MARGIN = 4, 1000
FAR = 8  # squares; further than any two squares are apart


def make_king_hunter(name: PlayerName) -> Player:
    """Hunts the enemy king: gives up to `margin` centipawns for a move that ends next to it."""
    check_settings(name, ("depth", "margin"))
    depth = integer_setting(name, "depth", 1, MAX_DEPTH)
    margin = integer_setting(name, "margin", 0, MAX_MARGIN)
    return KingHunter(
        DEFAULT_DEPTH if depth is None else depth, DEFAULT_MARGIN if margin is None else margin
    )


def king_square(board: Board, color: str) -> int:
    """The square of a king, counted from a1 = 0 to h8 = 63."""
    ranks = board.fen().split()[0].split("/")  # from the eighth rank down
    for rank, text in zip(range(7, -1, -1), ranks, strict=True):
        squares = "".join("." * int(sign) if sign.isdigit() else sign for sign in text)
        if (king := "K" if color == "white" else "k") in squares:
            return 8 * rank + squares.index(king)
    raise ValueError(f"there is no {color} king in {board.fen()}")


def distances(squares: NDArray[np.int64], kings: NDArray[np.int64]) -> NDArray[np.int64]:
    """[N] King's moves from each square [N] to the king's square [N] on an empty board."""
    ranks, files = abs(squares // 8 - kings // 8), abs(squares % 8 - kings % 8)
    return np.maximum(ranks, files)


class KingHunter:
    """Implements `Player`. The teacher scores every legal move; style chooses among good ones."""

    parallel_games = 256  # boards that one call of `choose` should get

    def __init__(self, depth: int, margin: int) -> None:
        self.name = f"king-hunter:depth={depth},margin={margin}"
        self._depth, self._margin = depth, margin

    def choose(
        self, boards: Sequence[Board], seeds: NDArray[np.uint64], limits: Limits = NO_LIMITS
    ) -> Choices:
        scores = score_moves(boards, depth=self._depth)
        return Choices(best_moves(self._by_style(boards, scores), seeds))

    def analyse(self, request: SearchRequest) -> Analysis:
        """The choice for one board, with the teacher's score of it."""
        scores = score_moves([request.board], depth=self._depth)
        if request.root_moves is not None:
            scores = _only(scores, request.root_moves)
        seeds = np.array([request.seed], np.uint64)
        code = int(best_moves(self._by_style([request.board], scores), seeds)[0])
        centipawns = int(scores.centipawns[scores.moves == code][0])
        best = uci_text(code)
        return Analysis(
            best=best,
            line=(best,),
            score_pawns=centipawns / 100,
            mate_in=mate_in(centipawns),
            depth=self._depth,
        )

    def close(self) -> None:
        pass

    def _by_style(self, boards: Sequence[Board], scores: MoveScores) -> MoveScores:
        """The same moves, scored by how near they come to the king; those that lose more than the
        margin, and all beside a mate, come last."""
        rows = Ragged(scores.moves.astype(np.int32), scores.offsets).rows
        enemies = ["black" if board.turn == "white" else "white" for board in boards]
        kings = np.array([king_square(*pair) for pair in zip(boards, enemies, strict=True)])
        nearness = FAR - distances(scores.moves.astype(np.int64) >> 6 & 63, kings[rows])
        best = np.maximum.reduceat(scores.centipawns, scores.offsets[:-1])  # [B]
        is_mate = [mate_in(score) is not None for score in best.tolist()]
        is_good = scores.centipawns >= (best - np.where(is_mate, 0, self._margin))[rows]
        return MoveScores(
            scores.moves, np.where(is_good, nearness, -1).astype(np.int32), scores.offsets
        )


def _only(scores: MoveScores, moves: Sequence[str]) -> MoveScores:
    """The scores of some moves of one board."""
    kept = np.isin(scores.moves, [uci_code(move) for move in moves])
    return MoveScores(
        scores.moves[kept], scores.centipawns[kept], np.array([0, kept.sum()], np.int64)
    )
