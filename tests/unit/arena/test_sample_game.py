"""A game on a board as runs keep it."""

import pytest

from selfmate.arena.sample_game import sample_of
from selfmate.rules import Board

MATED = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"


@pytest.mark.parametrize(
    ("start", "moves", "result", "reason"),
    [
        (None, "e2e4", "*", "ply_limit"),
        (None, "f2f3 e7e5 g2g4 d8h4", "0-1", "checkmate"),
        (MATED, "f7g7", "1-0", "checkmate"),
        (MATED, "f7e8", "1-0", "checkmate"),
        (MATED, "f7c7", "*", "ply_limit"),
        ("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1", "f5f7", "1/2-1/2", "stalemate"),
    ],
)
def test_a_game_says_how_it_went(start: str | None, moves: str, result: str, reason: str) -> None:
    board = Board(start)
    for move in moves.split():
        board.push(move)
    sample = sample_of(board, "one", "two")
    assert (sample.start, sample.moves) == (Board(start).fen(), tuple(moves.split()))
    assert (sample.result, sample.reason) == (result, reason)
    assert (sample.white, sample.black) == ("one", "two")
