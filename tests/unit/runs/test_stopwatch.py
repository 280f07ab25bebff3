"""The stopwatch adds up the parts of a step."""

import time

import pytest

from selfmate.runs.run import Stopwatch


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_parts_add_up_and_nested_parts_count_in_both(clock: Clock) -> None:
    watch = Stopwatch()
    for _ in range(3):
        with watch("outer"):
            clock.now += 2
            with watch("inner"):
                clock.now += 0.5
        clock.now += 10  # in no part
    assert watch.seconds == pytest.approx({"inner": 1.5, "outer": 7.5})


def test_parts_of_workers_are_shifted_out_of_the_part_they_worked_in(clock: Clock) -> None:
    watch = Stopwatch()
    with watch("playing"):
        clock.now += 10
        watch.shift("playing", {"encoding": 2.0, "labelling": 2.0})
    assert watch.seconds == pytest.approx({"playing": 6, "encoding": 2, "labelling": 2})


def test_a_part_that_raises_counts(clock: Clock) -> None:
    watch = Stopwatch()

    def fail() -> None:
        with watch("part"):
            clock.now += 3
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert watch.seconds == {"part": 3}
