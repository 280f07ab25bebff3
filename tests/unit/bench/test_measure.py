"""Speeds by a clock of our own."""

from functools import partial

import pytest

import selfmate_benchmarks as measure
from selfmate_benchmarks import best_rates, median_ratio, rates_by_round


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def takes(self, *seconds: float) -> measure.Go:
        """A go of six units that takes longer or shorter each time."""
        times = iter(seconds)

        def go() -> float:
            self.now += next(times)
            return 6

        return go


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(measure, "time", clock)
    return clock


def test_every_round_has_its_rates(clock: Clock) -> None:
    goes = {"ours": clock.takes(1, 2, 3), "theirs": clock.takes(2, 6, 3), "absent": None}
    rates = rates_by_round(goes, 3)
    assert rates == {"ours": [6, 3, 2], "theirs": [3, 1, 2], "absent": []}
    assert median_ratio(rates["ours"], rates["theirs"]) == 2


def test_the_best_round_counts(clock: Clock) -> None:
    goes = {"ours": clock.takes(2, 1, 3), "absent": None}
    assert best_rates(goes, 3) == {"ours": 6, "absent": None}


def test_every_other_round_goes_backwards() -> None:
    order = list[str]()

    def noted(name: str) -> float:
        order.append(name)
        return 1

    rates_by_round({name: partial(noted, name) for name in "abc"}, 2)
    assert "".join(order) == "abccba"
