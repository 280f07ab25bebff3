"""Puzzles in evaluations of a learner."""

from dataclasses import replace
from pathlib import Path

import pytest

from selfmate.learners.searchless.evaluation import (
    MAX_PUZZLES,
    PuzzleEvaluation,
    open_puzzles,
    spread_out,
)
from selfmate.runs.run import RunRefusedError
from unit.arena.scripted import Scripted
from unit.arena.test_puzzles import HEADER, LONG, MATE, TWO_MATES

MATES = Scripted("p", lambda board, _: "a1a8" if "R" in board.fen() else "e1d1")


def test_solved_shares_by_rating() -> None:
    puzzles = [MATE, replace(MATE, rating=999), LONG, replace(MATE, rating=2000)]
    assert PuzzleEvaluation(puzzles).metrics(MATES) == {
        "puzzles": 0.75,
        "puzzles_to_1000": 1.0,
        "puzzles_to_1500": 0.0,
        "puzzles_harder": 1.0,
    }


def test_without_puzzles_there_are_no_metrics() -> None:
    assert open_puzzles("").metrics(MATES) == {}


def test_puzzles_are_spread_over_a_file_sorted_by_rating() -> None:
    ratings = range(400, 400 + 3 * MAX_PUZZLES - 1)
    found = [one.rating for one in spread_out([replace(MATE, rating=one) for one in ratings])]
    assert len(found) == MAX_PUZZLES
    assert (found[0], found[-1]) == (ratings[0], ratings[-2])
    assert len(spread_out([MATE] * 7)) == 7


def test_a_valid_file_is_read_and_others_refused(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.csv"
    file.write_text(f"{HEADER}x,{TWO_MATES},a2b2 a1a8,650,80,90,100,mate,url,\n")
    assert open_puzzles(str(file)).metrics(MATES) == {"puzzles": 1.0, "puzzles_to_1000": 1.0}
    file.write_text("no puzzles\n")
    with pytest.raises(RunRefusedError, match=r"the puzzles cannot be used: .*no column FEN"):
        open_puzzles(str(file))
    with pytest.raises(RunRefusedError, match="the puzzles cannot be used"):
        open_puzzles("no such file")
