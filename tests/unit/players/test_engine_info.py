"""Scores of several moves, read from what an engine says."""

from collections.abc import Sequence

import pytest

from selfmate.players.engine_info import ScoreReader
from selfmate.rules import Board
from selfmate.search.teacher import score_moves

MATES = {  # by White at once, by White in two, of White at once
    "mate 1": "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
    "mate 2": "7k/8/4K3/8/8/8/8/6R1 w - - 0 1",
    "mate -1": "8/8/8/8/8/5k1r/8/6K1 w - - 0 1",
}


def scores_of(lines: Sequence[str], fen: str | None = None) -> dict[str, int]:
    reader = ScoreReader(Board(fen))
    for line in lines:
        reader.read(f"info depth 1 {line}")
    return reader.scores()


def test_the_newest_round_counts() -> None:
    first = ["multipv 1 score cp 50 pv e2e4", "multipv 2 score cp 20 pv d2d4"]
    second = ["multipv 1 score cp 30 pv d2d4", "multipv 2 score cp 10 pv c2c4"]
    assert scores_of(first) == {"e2e4": 50, "d2d4": 20}
    assert list(scores_of([*first, *second]).items()) == [("d2d4", 30), ("c2c4", 10)]


def test_a_round_that_was_not_finished_keeps_the_order_of_ranks() -> None:
    first = ["multipv 1 score cp 50 pv e2e4", "multipv 2 score cp 40 pv d2d4"]
    first += ["multipv 3 score cp 35 pv c2c4"]
    assert scores_of([*first, "multipv 1 score cp 30 pv d2d4"]) == {"d2d4": 30, "c2c4": 30}


def test_a_bound_is_no_score_but_the_rank_is_the_moves() -> None:
    first = ["multipv 1 score cp 50 pv e2e4", "multipv 2 score cp 40 pv d2d4"]
    second = ["multipv 1 score cp 60 pv d2d4", "multipv 2 score cp 20 upperbound pv e2e4"]
    assert scores_of([*first, *second]) == {"d2d4": 60, "e2e4": 50}
    assert scores_of(["score cp 9 lowerbound pv e2e4"]) == {}


@pytest.mark.parametrize(
    "line",
    ["score cp 9", "score cp x pv e2e4", "pv e2e4", "score cp 9 pv e2e5", "score cp 9 pv",
     "multipv 0 score cp 9 pv e2e4", "multipv 21 score cp 9 pv e2e4", "string score cp 9 pv e2e4"],
)  # fmt: skip
def test_what_makes_no_sense_tells_nothing(line: str) -> None:
    assert scores_of([line]) == {}


@pytest.mark.parametrize("said", MATES)
def test_mates_count_as_the_teacher_counts_them(said: str) -> None:
    board = Board(MATES[said])
    best = int(score_moves([board], depth=4).centipawns.max())
    assert abs(best) > 9_900
    move = board.legal_moves()[0]
    assert scores_of([f"score {said} pv {move}"], MATES[said]) == {move: best}


def test_no_mate_is_worth_less_than_what_is_none() -> None:
    said = ["mate 1", "mate 2", "mate 9999", "cp 30000", "cp 8999", "cp -8999", "cp -30000"]
    said += ["mate -9999", "mate -2", "mate -1"]
    found = [scores_of([f"score {one} pv e2e4"])["e2e4"] for one in said]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found)
