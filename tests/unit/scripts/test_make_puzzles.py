"""The ratings of the puzzles that ship."""

import pytest

import make_puzzles
from selfmate.arena.puzzles import Puzzle

FEN = "6k1/5ppp/2n5/8/8/8/5PPP/R5K1 b - - 0 1"


def test_a_puzzle_is_rated_where_it_wins_as_often_as_it_was_not_solved() -> None:
    """By hand: half a point of 1000, one of 600 and none of 1400 is what 1000 expects."""
    assert make_puzzles.rating_of([(600.0, False), (1400.0, True)]) == pytest.approx(1000, abs=1)


def test_what_more_players_solve_is_easier() -> None:
    raters = (600.0, 1000.0, 1400.0, 1800.0)
    ratings = [
        make_puzzles.rating_of([(elo, elo >= weakest) for elo in raters])
        for weakest in (600.0, 1000.0, 1400.0, 1800.0, 2200.0)
    ]
    assert ratings == sorted(set(ratings))
    assert 400 < ratings[0] < ratings[-1] < 2200


def test_a_position_is_a_puzzle_once_whatever_its_clocks() -> None:
    old = Puzzle(FEN, ("c6b4", "a1a8"), 700, ())
    new = Puzzle(FEN.replace("0 1", "3 9"), ("c6b4", "a1a8"), 900, ())
    assert make_puzzles.together([old], [new]) == [old]
