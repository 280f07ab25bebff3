"""The UCI client: what it reads from `info` lines."""

from collections.abc import Sequence

import pytest

from selfmate.players.engine_client import AnalysisReader, MultiPvReader
from selfmate.rules import Board
from selfmate.searches.teacher import score_moves

MATES = {  # by White at once, by White in two, of White at once
    "mate 1": "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
    "mate 2": "7k/8/4K3/8/8/8/8/6R1 w - - 0 1",
    "mate -1": "8/8/8/8/8/5k1r/8/6K1 w - - 0 1",
}


def scores_of(lines: Sequence[str], fen: str | None = None) -> dict[str, int]:
    reader = MultiPvReader(Board(fen))
    for line in lines:
        reader.read(f"info depth 1 {line}")
    return reader.scores()


def test_the_newest_iteration_counts() -> None:
    first = ["multipv 1 score cp 50 pv e2e4", "multipv 2 score cp 20 pv d2d4"]
    second = ["multipv 1 score cp 30 pv d2d4", "multipv 2 score cp 10 pv c2c4"]
    assert scores_of(first) == {"e2e4": 50, "d2d4": 20}
    assert list(scores_of([*first, *second]).items()) == [("d2d4", 30), ("c2c4", 10)]


def test_scores_fall_with_rank_in_an_unfinished_iteration() -> None:
    first = ["multipv 1 score cp 50 pv e2e4", "multipv 2 score cp 40 pv d2d4"]
    first += ["multipv 3 score cp 35 pv c2c4"]
    assert scores_of([*first, "multipv 1 score cp 30 pv d2d4"]) == {"d2d4": 30, "c2c4": 30}


def test_a_bound_gives_a_rank_but_no_score() -> None:
    first = ["multipv 1 score cp 50 pv e2e4", "multipv 2 score cp 40 pv d2d4"]
    second = ["multipv 1 score cp 60 pv d2d4", "multipv 2 score cp 20 upperbound pv e2e4"]
    assert scores_of([*first, *second]) == {"d2d4": 60, "e2e4": 50}
    assert scores_of(["score cp 9 lowerbound pv e2e4"]) == {}


@pytest.mark.parametrize(
    "line",
    ["score cp 9", "score cp x pv e2e4", "pv e2e4", "score cp 9 pv e2e5", "score cp 9 pv",
     "score cp 9 wdl 200",
     "multipv 0 score cp 9 pv e2e4", "multipv 21 score cp 9 pv e2e4", "string score cp 9 pv e2e4"],
)  # fmt: skip
def test_malformed_lines_are_ignored(line: str) -> None:
    assert scores_of([line]) == {}


def test_malformed_wdl_is_no_analysis() -> None:
    reader = AnalysisReader(Board())
    assert reader.read("info depth 1 score cp 9 wdl 200") is None
    assert reader.read("info depth 1 score cp 9 wdl 200 pv e2e4") is None
    assert reader.read("info depth 1 score cp 9 wdl 200 700 100 pv e2e4") is not None


@pytest.mark.parametrize("said", MATES)
def test_mates_have_the_scores_of_the_teacher(said: str) -> None:
    board = Board(MATES[said])
    best = int(score_moves([board], depth=4).centipawns.max())
    assert abs(best) > 9_900
    move = board.legal_moves()[0]
    assert scores_of([f"score {said} pv {move}"], MATES[said]) == {move: best}


def test_every_mate_outweighs_every_score() -> None:
    said = ["mate 1", "mate 2", "mate 9999", "cp 30000", "cp 8999", "cp -8999", "cp -30000"]
    said += ["mate -9999", "mate -2", "mate -1"]
    found = [scores_of([f"score {one} pv e2e4"])["e2e4"] for one in said]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found)


def test_a_best_move_with_a_bound_only_leaves_the_one_before_it() -> None:
    lines = ["score cp 30 pv d2d4", "score cp 45 pv d2d4", "score cp 60 lowerbound pv e2e4"]
    assert scores_of(lines) == {"d2d4": 45}
