"""Fair speeds on a noisy machine: contestants take turns, and each keeps its best round; where that
is too coarse, each round has its own ratio, and the one in the middle counts."""

import time
from collections.abc import Callable, Mapping
from statistics import median

# One go: does some work and returns how many units it did.
Go = Callable[[], float]


def rates_by_round(contestants: Mapping[str, Go | None], rounds: int) -> dict[str, list[float]]:
    """Units per second of each contestant in every round; of one that is not there, none.

    Every other round goes backwards: nobody always comes after the same one.
    """
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    present = [(name, go) for name, go in contestants.items() if go is not None]
    for number in range(rounds):
        for name, go in reversed(present) if number % 2 else present:
            started = time.perf_counter()
            units = go()
            rates[name].append(units / (time.perf_counter() - started))
    return rates


def best_rates(contestants: Mapping[str, Go | None], rounds: int) -> dict[str, float | None]:
    """Units per second of each contestant's best round; None for one that is not there."""
    found = rates_by_round(contestants, rounds)
    return {name: max(rates, default=None) for name, rates in found.items()}


def ratio(ours: float | None, theirs: float | None) -> float | None:
    """How many times as fast we are; None when either is missing."""
    return ours / theirs if ours and theirs else None


def median_ratio(ours: list[float], theirs: list[float]) -> float:
    """How many times as fast we are in most rounds: both ran side by side in each."""
    return median(mine / other for mine, other in zip(ours, theirs, strict=True))
