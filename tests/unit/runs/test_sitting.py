"""What is left of a sitting is told by whatever ends it first."""

import math
from pathlib import Path

import pytest

from selfmate.runs.on_disk import Session
from selfmate.runs.progress import Progress
from selfmate.runs.sitting import Sitting
from unit.runs.toy import run_toy


def test_units_are_left_at_the_pace_they_take() -> None:
    sitting = Sitting.begin(minutes=math.inf, units=100)
    assert sitting.seconds_left(40, 3.0) == 20
    assert not sitting.is_over(99)
    assert sitting.is_over(100)
    assert sitting.seconds_left(101, 3.0) == 0


def test_the_clock_may_end_it_sooner() -> None:
    assert Sitting.begin(minutes=1, units=1e9).seconds_left(0, 1.0) == pytest.approx(60, abs=5)
    assert Sitting.begin(minutes=0, units=1e9).is_over(1)


def test_who_pauses_soon_is_not_told_of_the_whole_run(tmp_path: Path) -> None:
    seen = list[Progress]()
    run_toy(tmp_path, Session(pause_after=3, watch=seen.append))
    assert seen[-1].seconds_left == 0
    assert seen[-1].done < seen[-1].total
