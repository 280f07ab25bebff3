"""Actions chosen by their values, in rows of uneven length, each row by a random number of its own.

Nothing here depends on what other rows there are.
"""

import numpy as np
from numpy.typing import NDArray

from selfmate import _core
from selfmate.rules.ragged import Ragged

Values = NDArray[np.float32]  # [N]
Dice = NDArray[np.uint64]  # [B]


def chosen_actions(
    values: Values, legal: Ragged, temperature: float, dice: Dice
) -> NDArray[np.int32]:
    """[B] By chance, with probabilities softmax(value / temperature); at 0 the best."""
    if temperature:
        return drawn_actions(values, legal, temperature, dice)
    return best_actions(values, legal, dice)


def best_actions(values: Values, legal: Ragged, dice: Dice) -> NDArray[np.int32]:
    """[B] The action of the highest value; among equals the dice decide."""
    actions = legal.values.astype(np.uint16)
    return _core.choose_best(actions, _in_order(values), legal.offsets, dice).astype(np.int32)


def drawn_actions(
    values: Values, legal: Ragged, temperature: float, dice: Dice
) -> NDArray[np.int32]:
    """[B] An action with the probabilities softmax(value / temperature)."""
    sums = np.cumsum(_weights(values, legal, temperature), axis=1)
    uniform = (dice >> np.uint64(11)) * 2.0**-53
    places = (sums <= (uniform * sums[:, -1])[:, None]).sum(axis=1)
    places = np.minimum(places, legal.counts - 1)  # a number next to 1 may be rounded up to 1
    drawn: NDArray[np.int32] = legal.values[legal.offsets[:-1] + places]
    return drawn


def _weights(values: Values, legal: Ragged, temperature: float) -> NDArray[np.float64]:
    """[B, longest row] Not divided by their sum; zero behind a row's end."""
    below = values - np.repeat(np.maximum.reduceat(values, legal.offsets[:-1]), legal.counts)
    places = np.arange(legal.counts.max())
    weights = np.zeros((len(legal), len(places)))
    with np.errstate(over="ignore"):  # by a temperature of next to nothing
        weights[places < legal.counts[:, None]] = np.exp(below.astype(np.float64) / temperature)
    return weights


def _in_order(values: Values) -> NDArray[np.int32]:
    """Whole numbers in the same order, equal where the values are: by the bits of floats."""
    bits = (values + np.float32(0)).view(np.int32)  # -0 is 0
    return bits ^ ((bits >> 31) & np.int32(0x7FFFFFFF))
