"""Fair speeds on a noisy machine: contestants take turns, and each keeps its best round."""

import time
from collections.abc import Callable, Mapping

# One go: does some work and returns how many units it did.
Go = Callable[[], float]


def best_rates(contestants: Mapping[str, Go | None], rounds: int) -> dict[str, float | None]:
    """Units per second of each contestant's best round; None for one that is not there."""
    best: dict[str, float | None] = dict.fromkeys(contestants)
    for _ in range(rounds):
        for name, go in contestants.items():
            if go is None:
                continue
            started = time.perf_counter()
            units = go()
            rate = units / (time.perf_counter() - started)
            best[name] = max(rate, best[name] or 0.0)
    return best


def ratio(ours: float | None, theirs: float | None) -> float | None:
    """How many times as fast we are; None when either is missing."""
    return ours / theirs if ours and theirs else None
