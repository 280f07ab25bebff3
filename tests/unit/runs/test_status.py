"""The time left in a session: until its units are done or its deadline comes."""

import math
from pathlib import Path

import pytest

from selfmate.runs.session import Session
from selfmate.runs.status import Pace, Progress, SessionTimer
from unit.runs.toy import run_toy


def test_time_left_follows_from_the_rate() -> None:
    timer = SessionTimer.start(minutes=math.inf, units=100)
    assert timer.seconds_left(40, 3.0) == 20
    assert not timer.is_over(99)
    assert timer.is_over(100)
    assert timer.seconds_left(101, 3.0) == 0


def test_time_left_is_unknown_before_the_first_step() -> None:
    """Unless there is a deadline."""
    assert SessionTimer.start(minutes=math.inf, units=100).seconds_left(0, 0.0) is None
    bounded = SessionTimer.start(minutes=1, units=100).seconds_left(0, 0.0)
    assert bounded == pytest.approx(60, abs=5)


def test_time_left_counts_down_within_a_step() -> None:
    timer = SessionTimer.start(minutes=math.inf, units=100)
    assert timer.seconds_left(40, 3.0, spent=5.0) == 15
    assert timer.seconds_left(40, 3.0, spent=25.0) == 0


def test_the_pace_of_long_steps_is_that_of_several() -> None:
    """One in five evaluates and takes three times as long."""
    pace = Pace()
    for step in range(20):
        pace.add(1, 900 if step % 5 == 0 else 300)
    assert pace.rate == pytest.approx(1 / 420, rel=0.15)


def test_the_deadline_may_come_first() -> None:
    assert SessionTimer.start(minutes=1, units=1e9).seconds_left(0, 1.0) == pytest.approx(60, abs=5)
    assert SessionTimer.start(minutes=0, units=1e9).is_over(1)


def test_time_left_ends_at_the_pause(tmp_path: Path) -> None:
    seen = list[Progress]()
    run_toy(tmp_path, Session(pause_after=3, watch=seen.append))
    assert seen[-1].seconds_left == 0
    assert seen[-1].done < seen[-1].total
