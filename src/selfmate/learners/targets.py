"""What values are learned towards. Pure functions; rows are samples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def bootstrapped(rewards: Array, goes_on: Array, next_values: Array, gamma: float) -> Array:
    """R + gamma * next value; R alone where the game has ended (goes_on is 0, else 1)."""
    return rewards + gamma * goes_on * next_values


def of_taken(values: Array, actions: Array) -> Array:
    """The value of one action in each row: [B, A] and [B] to [B]. For SARSA's A'."""
    count, width = values.shape
    return values.ravel().take(np.arange(0, count * width, width) + actions)


def double_q(online: Array, target: Array) -> Array:
    """Chosen by the online net, valued by the target net (van Hasselt 2016). Actions that are not
    allowed have online values of -inf."""
    return of_taken(target, online.argmax(axis=1))
