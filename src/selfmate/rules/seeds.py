"""Random seeds for every game and ply, derived from one seed."""

import numpy as np
from numpy.typing import NDArray


def derive_seeds(
    seed: int, games: NDArray[np.int64], plies: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Random 64-bit seeds that depend only on seed, game number and ply. For plies [G] they are
    [G], for plies [K, 1] or [K, G] they are [K, G]."""
    start = _mixed(np.uint64(seed) + np.zeros(len(games), np.uint64))
    return _mixed(_mixed(start ^ games.astype(np.uint64)) + plies.astype(np.uint64))


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's step: a bijection that spreads every bit over all others."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = values ^ (values >> np.uint64(31))
    return mixed
