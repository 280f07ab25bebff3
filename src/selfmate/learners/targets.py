"""What values are learned towards. Pure functions; rows are samples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.rules.ragged import best_places

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


def ragged_double_q(online: Array, target: Array, offsets: Array) -> Array:
    """As `double_q`, for rows of legal actions end to end: [N] and [B + 1] to [B]. With the target
    net in both places this is the plain maximum."""
    chosen: Array = target[best_places(online, offsets)]
    return chosen


def shaped(returns: Array, discounts: Array, here: Array, there: Array, share: float) -> Array:
    """Returns with potential shaping (Ng 1999), for the mover here: less share * (the potential
    here - discount * the potential there), each for its own mover.

    For one ply of negamax the discount is -gamma, so the reward is r - share * (gamma * there +
    here). On the way of several plies all between cancels. The best action stays the best: every
    action of a position loses the same, its potential.
    """
    left: Array = returns - share * (here - discounts * there)
    return left


def advantages(results: Array, is_white: Array, baseline: Array | float) -> Array:
    """What came of each ply for its mover, beyond what was to be expected (Williams 1992); results
    and baseline are in White's view."""
    gains: Array = results - baseline
    return np.where(is_white, gains, -gains)


def importance_weights(log_probs: Array, sampled_log_probs: Array, most: float) -> Array:
    """How many times as likely a move is now as when it was drawn, at most `most`."""
    # Cut before exp, which would overflow.
    weights: Array = np.exp(np.minimum(log_probs - sampled_log_probs, np.log(most)))
    return weights
