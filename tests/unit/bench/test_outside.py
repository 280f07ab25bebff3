"""The share of time outside net and core, by a clock of our own."""

import numpy as np
import pytest

import selfmate._core as core
from selfmate.nets.q_net import QNet
from selfmate.rules import Board, uci_text
from selfmate.searches.sampling import random_choices
from selfmate_benchmarks import dqn as outside
from selfmate_benchmarks.dqn import Meter, share_outside


class Clock:
    """Advances only when it is asked to."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(outside, "time", clock)
    return clock


def test_what_is_called_within_counts_once(clock: Clock) -> None:
    meter = Meter()
    inner = meter.timed(clock.passes)

    def work() -> None:
        inner(2)
        clock.passes(3)

    meter.timed(work)()
    clock.passes(7)
    inner(1)
    assert meter.seconds == 6


def test_the_core_is_within_and_all_else_outside(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "choose_random", lambda *_: clock.passes(3))

    def work() -> None:
        random_choices([Board()], np.zeros(1, np.uint64))
        clock.passes(1)

    assert share_outside(work) == 0.25


def test_everything_is_as_before_afterwards() -> None:
    before = (core.uci_text, uci_text, QNet.forward, QNet.values)

    def fail() -> None:
        assert core.uci_text is not before[0]
        raise RuntimeError

    with pytest.raises(RuntimeError):
        share_outside(fail)
    assert (core.uci_text, uci_text, QNet.forward, QNet.values) == before
