"""Chance: one stream of random numbers per game, whatever other games are played beside it."""

import numpy as np
from numpy.typing import NDArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_BITS_TO_DROP, _TO_UNIT = np.uint64(11), np.float64(2.0**-53)


def stream_keys(seed: int, games: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The start of each game's stream, from the seed and the game's number."""
    (start,) = _mixed(np.array([seed], np.uint64))
    return _mixed(games.astype(np.uint64) ^ start)


def rolls(keys: NDArray[np.uint64], places: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Uniform numbers in [0, 1): what SplitMix64 streams say at the given places."""
    mixed = _mixed(places * _GOLDEN + keys)
    mixed >>= _BITS_TO_DROP
    return mixed * _TO_UNIT


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's output function: a bijection that spreads every bit over all others."""
    values = values + _GOLDEN
    values ^= values >> np.uint64(30)
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return values
