"""Node counts of the classic positions, and attacks of sliders among random blockers."""

import random

import chess
import pytest

from selfmate import Board
from selfmate.rules.perft import PERFT_POSITIONS, PerftPosition


@pytest.mark.parametrize("position", PERFT_POSITIONS, ids=lambda position: position.name)
def test_perft_is_exact(position: PerftPosition) -> None:
    counted = [Board(position.fen).perft(d) for d in range(1, len(position.nodes) + 1)]
    assert counted == list(position.nodes)


def test_perft_leaves_the_board_alone() -> None:
    board = Board()
    board.perft(3)
    assert (board.fen(), board.moves) == (Board().fen(), [])


@pytest.mark.parametrize("depth", [-1, 21])
def test_perft_depth_is_bounded(depth: int) -> None:
    with pytest.raises(ValueError, match=r"not in 0\.\.20"):
        Board().perft(depth)


@pytest.mark.parametrize("square", chess.SQUARES)
def test_sliders_see_the_oracles_squares(square: chess.Square) -> None:
    rng = random.Random(square)
    for _ in range(40):
        oracle = chess.Board(None)
        oracle.set_piece_at(square, chess.Piece(chess.QUEEN, chess.WHITE))
        others = rng.sample([s for s in chess.SQUARES if s != square], rng.randint(2, 24))
        kings, blockers = others[:2], others[2:]
        for color, king in zip(chess.COLORS, kings, strict=True):
            oracle.set_piece_at(king, chess.Piece(chess.KING, color))
        for i, blocker in enumerate(blockers):
            oracle.set_piece_at(blocker, chess.Piece(chess.KNIGHT, bool(i % 2)))
        if oracle.is_valid():
            ours = sorted(Board(oracle.fen()).legal_moves())
            assert ours == sorted(move.uci() for move in oracle.legal_moves)
