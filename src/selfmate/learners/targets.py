"""Targets of values and policies: pure functions of arrays, whose rows are samples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.rules import best_places

Array = NDArray[Any]


def bootstrapped(rewards: Array, continues: Array, next_values: Array, gamma: float) -> Array:
    """R + gamma * V(s'), and R alone where the episode has ended (`continues` is 0, else 1)."""
    return rewards + gamma * continues * next_values


def of_taken(values: Array, actions: Array) -> Array:
    """[B] The value of one action in each row, from values [B, A] and actions [B]. In SARSA it is
    Q(s', a') of the next action."""
    count, width = values.shape
    return values.ravel().take(np.arange(0, count * width, width) + actions)


def double_q(online: Array, target: Array) -> Array:
    """[B] Double Q-learning (van Hasselt et al. 2016): Q_target(s', argmax_a Q_online(s', a)), from
    values [B, A]. Illegal actions have online values of -inf."""
    return of_taken(target, online.argmax(axis=1))


def ragged_double_q(online: Array, target: Array, offsets: Array) -> Array:
    """[B] As `double_q`, for the values [N] of legal actions, row after row, with offsets [B + 1].
    With the target's values in both places this is Q-learning's maximum."""
    chosen: Array = target[best_places(online, offsets)]
    return chosen


def shaped(returns: Array, discounts: Array, here: Array, there: Array, weight: float) -> Array:
    """[B] Returns with potential-based shaping (Ng et al. 1999): R + weight * (discount * phi(s') -
    phi(s)), each potential in the view of the side to move.

    For one ply of negamax the discount is -gamma. Over several plies the potentials in between
    cancel. The best action stays the best, because all actions of a position lose the same
    potential.
    """
    rewards: Array = returns - weight * (here - discounts * there)
    return rewards


def advantages(results: Array, is_white: Array, baseline: Array | float) -> Array:
    """[B] The result of each ply minus the baseline (Williams 1992), in the view of the side that
    moved. Results and baseline are in White's view."""
    gains: Array = results - baseline
    return np.where(is_white, gains, -gains)
