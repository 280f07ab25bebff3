"""Puzzles as a measure of learning."""

from dataclasses import replace
from pathlib import Path

import pytest

from selfmate.learners.puzzle_exam import MOST_PUZZLES, PuzzleExam, open_puzzles, spread_out
from selfmate.runs.errors import RunRefusedError
from unit.arena.scripted import Scripted
from unit.arena.test_puzzles import HEADER, LONG, MATE, TWO_MATES

MATES = Scripted("p", lambda board, _: "a1a8" if "R" in board.fen() else "e1d1")


def test_shares_solved_by_rating() -> None:
    exam = PuzzleExam([MATE, replace(MATE, rating=999), LONG, replace(MATE, rating=2000)])
    assert exam.figures(MATES) == {
        "puzzles": 0.75,
        "puzzles_to_1000": 1.0,
        "puzzles_to_1500": 0.0,
        "puzzles_harder": 1.0,
    }


def test_without_puzzles_there_is_nothing_to_tell() -> None:
    assert open_puzzles("").figures(MATES) == {}


def test_of_a_file_sorted_by_rating_all_bands_are_set() -> None:
    ratings = range(400, 400 + 3 * MOST_PUZZLES - 1)
    found = [one.rating for one in spread_out([replace(MATE, rating=one) for one in ratings])]
    assert len(found) == MOST_PUZZLES
    assert (found[0], found[-1]) == (ratings[0], ratings[-2])
    assert len(spread_out([MATE] * 7)) == 7


def test_a_file_is_read_and_another_refused(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.csv"
    file.write_text(f"{HEADER}x,{TWO_MATES},a2b2 a1a8,650,80,90,100,mate,url,\n")
    assert open_puzzles(str(file)).figures(MATES) == {"puzzles": 1.0, "puzzles_to_1000": 1.0}
    file.write_text("no puzzles\n")
    with pytest.raises(RunRefusedError, match=r"the puzzles cannot be used: .*no column FEN"):
        open_puzzles(str(file))
    with pytest.raises(RunRefusedError, match="the puzzles cannot be used"):
        open_puzzles("no such file")
