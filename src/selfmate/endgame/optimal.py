"""Perfect play, by value iteration: every figure with the error it may have."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from selfmate.endgame.game import Game
from selfmate.endgame.lookahead import Floats, look_ahead

LARGEST_GAMMA = 0.999
LARGEST_REWARD = 1.0  # what a mate brings; draws bring no more, and no less than its negative
ERROR = 1e-12
TIE = 1e-9  # values closer than this are equal
ROUNDING = 16 * float(np.finfo(np.float64).eps)  # of one sweep, for values up to 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Values:
    """Expected discounted reward under perfect play."""

    states: Floats  # [S]
    after: Floats  # [P]; the value of a move is that of its afterstate
    error: float  # no value is further than this from the truth


@lru_cache(maxsize=16)
def optimal_values(game: Game, gamma: float, draw_reward: float) -> Values:
    """The values of perfect play when a mate brings 1 and each move costs a factor of `gamma`."""
    check_rewards(gamma, draw_reward)
    ahead = look_ahead(game)
    states = np.zeros(game.states)
    while True:
        after = ahead.mean_reply(gamma * states, mate=1.0, draw=draw_reward)
        better = ahead.highest_choice(after)
        change = float(abs(better - states).max())
        states = better
        # A sweep brings any two guesses closer by gamma, so the truth is at most this far.
        error = (gamma * change + ROUNDING) / (1 - gamma)
        if gamma * change <= (1 - gamma) * ERROR:
            return Values(states=states, after=after, error=error)


def check_rewards(gamma: float, draw_reward: float) -> None:
    """ValueError unless the game can be solved for them."""
    if not 0 <= gamma <= LARGEST_GAMMA:
        raise ValueError(f"gamma {gamma} is not a number from 0 to {LARGEST_GAMMA}")
    if not -LARGEST_REWARD <= draw_reward <= LARGEST_REWARD:
        raise ValueError(f"draw reward {draw_reward} is not a number from -1 to 1")


def move_values(game: Game, after: Floats) -> Floats:
    """The value of each action from that of its afterstate; -inf where not allowed  # [S, A]"""
    return np.where(game.allowed, after[game.afterstates], -np.inf)


def greedy_actions(game: Game, values: NDArray[np.floating]) -> NDArray[np.intp]:
    """The allowed action of the highest value in each state, the first of equals  # [S]"""
    if values.shape != game.allowed.shape:
        raise ValueError(f"values of shape {values.shape}: allowed is {game.allowed.shape}")
    if not np.isfinite(values[game.allowed]).all():
        raise ValueError("values of allowed actions must be finite numbers")
    actions: NDArray[np.intp] = np.where(game.allowed, values, -np.inf).argmax(1)
    return actions


def mate_chances(game: Game) -> Floats:
    """The highest probability of mate from each state, from below; 1 where it is exactly 1."""
    ahead = look_ahead(game)
    chances = np.zeros(game.states)
    while True:
        better = ahead.highest_choice(ahead.mean_reply(chances, mate=1.0, draw=0.0))
        if (better - chances).max() <= 0:
            return chances
        chances = better


def worst_moves(game: Game) -> Floats:
    """The fewest moves that force mate against best defence; inf where nothing does  # [S]"""
    ahead = look_ahead(game)
    moves = np.full(game.states, np.inf)
    while True:
        after = ahead.highest_reply(moves, mate=0.0, draw=np.inf)
        fewer = 1 + ahead.lowest_choice(after)
        if (fewer == moves).all():
            return moves
        moves = fewer


def least_moves(game: Game, enough: Floats) -> Floats:
    """The least expected moves to mate among policies that never draw  # [S]

    Two guesses close in on it: from below, where the game ends for free after some moves, and from
    above, `enough` moves that some policy keeps to.
    """
    ahead = look_ahead(game)
    low, high = np.zeros(game.states), enough
    while (high - low).max() > ERROR:
        low = 1 + ahead.lowest_choice(ahead.mean_reply(low, mate=0.0, draw=np.inf))
        high = 1 + ahead.lowest_choice(ahead.mean_reply(high, mate=0.0, draw=np.inf))
    return (low + high) / 2
