"""Estimating the length of a run from a few of its steps."""

import math
import time

import pytest

from selfmate.runs.run import Rehearsal, RunFailedError
from unit.runs.toy import PLAYER, SIZE, TOTAL, ToyState, train


class Clock:
    """A clock that the test advances."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)


def test_the_first_step_warms_up_and_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, rehearsal, state = Clock(monkeypatch), Rehearsal(), ToyState()
    train(rehearsal, state, lambda step: setattr(clock, "now", clock.now + 0.2 / step.number))
    assert len(state.replay) == 4 * SIZE  # 0.2 + 0.1 + 0.067 + 0.05 s
    assert math.isclose(rehearsal.seconds_for(1500), 1500 * (0.2 / 2 + 0.2 / 3 + 0.2 / 4) / 15)


def test_one_long_step_suffices(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, rehearsal, state = Clock(monkeypatch), Rehearsal(), ToyState()
    train(rehearsal, state, lambda step: setattr(clock, "now", clock.now + 50))
    assert len(state.replay) == SIZE
    assert rehearsal.seconds_for(TOTAL) == 50 / SIZE * TOTAL


def test_a_short_run_is_rehearsed_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    rehearsal, state = Rehearsal(), ToyState()
    train(rehearsal, state, fails=lambda step: False)
    assert len(state.replay) == TOTAL


def test_a_rehearsal_cannot_roll_back(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    with pytest.raises(RunFailedError, match=r"step 5 failed: .*; nothing is written"):
        train(Rehearsal(), ToyState())


def test_a_rehearsal_is_as_strict_as_a_run() -> None:
    steps = Rehearsal().steps(ToyState(), total=9, unit="cycles", player=PLAYER)
    with pytest.raises(RunFailedError, match="loss became nan in step 1"):
        next(steps).record({"loss": math.nan})
    with pytest.raises(RuntimeError, match="step 1 was not recorded"):
        next(steps)
