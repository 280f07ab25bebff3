"""Shaping on chess positions that are solved by going through all moves."""

import zlib

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.learners.targets import shaped
from unit.learners.dqn_lines import GAMMA, MATE_IN_TWO

# Positions, and in how many moves White mates.
SOLVED = {
    "7k/8/5K2/8/8/8/8/6Q1 w - - 0 1": 1,
    "k7/7Q/8/2K5/8/8/8/8 w - - 0 1": 2,
    MATE_IN_TWO: 2,
    "1k6/7R/2K5/8/8/8/8/8 w - - 0 1": 3,
}
Values = dict[str, float]


class Solver:
    """Values of all moves by going through them, for games that are drawn after so many plies."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.known: dict[tuple[str, bool, int], Values] = {}

    def values(self, board: chess.Board, plies: int) -> Values:
        key = (board.board_fen(), board.turn, plies)
        if key not in self.known:
            self.known[key] = {m.uci(): self.value(board, m, plies) for m in board.legal_moves}
        return self.known[key]

    def value(self, board: chess.Board, move: chess.Move, plies: int) -> float:
        here = self.potential(board)
        board.push(move)
        over = plies == 1 or not any(board.legal_moves) or board.is_insufficient_material()
        there = 0.0 if over else self.potential(board)
        ahead = 0.0 if over else max(self.values(board, plies - 1).values())
        discount = 0.0 if over else -GAMMA
        mates = one(board.is_checkmate())
        reward = shaped(mates, one(discount), one(here), one(there), self.share)
        board.pop()
        return float(reward[0]) + discount * ahead

    def potential(self, board: chess.Board) -> float:
        """Any, from -1 to 1."""
        return zlib.crc32(f"{board.board_fen()} {board.turn}".encode()) / 2**31 - 1


def one(value: float) -> NDArray[np.float64]:
    return np.array([value], np.float64)


@pytest.mark.parametrize("fen", SOLVED)
def test_shaping_never_changes_the_best_moves_of_a_solved_position(fen: str) -> None:
    board, plies = chess.Board(fen), 2 * SOLVED[fen] - 1
    plain, helped = Solver(0.0).values(board, plies), Solver(0.7).values(board, plies)
    assert max(plain.values()) == pytest.approx(GAMMA ** (plies - 1))
    assert best_of(plain) == best_of(helped)
    shift = 0.7 * Solver(0.7).potential(board)
    for move, value in plain.items():
        assert helped[move] == pytest.approx(value - shift)


def best_of(values: Values) -> set[str]:
    highest = max(values.values())
    return {move for move, value in values.items() if value > highest - 1e-9}
