"""The mini-chess solved exactly: what a random agent achieves, and what perfect play can.

Values are found by sweeps over all states at once, each with a bound on its error.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.minichess.game import DRAW, MATE, ONGOING, Game
from selfmate.minichess.markov import balance

MAX_GAMMA = 0.999
MAX_REWARD = 1.0  # of a mate; a draw's reward is at most this, and at least its negative
ERROR = 1e-12
TIE = 1e-9  # values closer than this are equal
ROUNDING = 16 * float(np.finfo(np.float64).eps)  # of one sweep, for values up to 1
PARTS = 5  # how often `solve` reports progress

Floats = NDArray[np.float64]


class Lookahead:
    """One move ahead in all states at once: the tables of a game, arranged for sweeps."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.choices = game.afterstates[game.allowed]  # all allowed moves, state by state
        self.choice_counts = game.allowed.sum(1)
        self._first_choice = np.cumsum(self.choice_counts) - self.choice_counts
        real = np.arange(8) < game.reply_counts[:, None]
        self.replies = game.replies[real]  # all replies, afterstate by afterstate
        self._real = real.astype(np.float64)

    def mean_reply(self, values: Floats, *, mate: float, draw: float) -> Floats:
        """[S] -> [P] The values of afterstates when the enemy moves at random."""
        after = np.einsum("pr,pr->p", values[self.game.replies], self._real)
        after /= np.maximum(self.game.reply_counts, 1)
        return self._with_endings(after, mate, draw)

    def highest_reply(self, values: Floats, *, mate: float, draw: float) -> Floats:
        """[S] -> [P] The values of afterstates when the enemy picks the highest value."""
        return self._with_endings(values[self.game.replies].max(1), mate, draw)

    def highest_choice(self, after: Floats) -> Floats:
        """[P] -> [S] The values of states when the agent picks the highest value."""
        return np.maximum.reduceat(after[self.choices], self._first_choice)

    def lowest_choice(self, after: Floats) -> Floats:
        """[P] -> [S] The values of states when the agent picks the lowest value."""
        return np.minimum.reduceat(after[self.choices], self._first_choice)

    def _with_endings(self, after: Floats, mate: float, draw: float) -> Floats:
        after[self.game.endings == MATE] = mate
        after[self.game.endings == DRAW] = draw
        return after


@cache
def look_ahead(game: Game) -> Lookahead:
    """The sweeps of a game; computed once per game."""
    return Lookahead(game)


@dataclass(frozen=True, eq=False, kw_only=True)
class Values:
    """Expected discounted reward under perfect play."""

    states: Floats  # [S]
    after: Floats  # [P]; the value of a move is that of its afterstate
    error: float  # bound on the absolute error of every value


@lru_cache(maxsize=16)
def optimal_values(game: Game, gamma: float, draw_reward: float) -> Values:
    """Value iteration with a reward of 1 for mate and the discount `gamma` per move."""
    check_rewards(gamma, draw_reward)
    ahead = look_ahead(game)
    states = np.zeros(game.states)
    while True:
        after = ahead.mean_reply(gamma * states, mate=1.0, draw=draw_reward)
        better = ahead.highest_choice(after)
        change = float(abs(better - states).max())
        states = better
        # A sweep is a contraction by gamma, which bounds the distance to the fixed point.
        error = (gamma * change + ROUNDING) / (1 - gamma)
        if gamma * change <= (1 - gamma) * ERROR:
            return Values(states=states, after=after, error=error)


def check_rewards(gamma: float, draw_reward: float) -> None:
    """Raises ValueError unless the game can be solved for these rewards."""
    if not 0 <= gamma <= MAX_GAMMA:
        raise ValueError(f"gamma {gamma} is not a number from 0 to {MAX_GAMMA}")
    if not -MAX_REWARD <= draw_reward <= MAX_REWARD:
        raise ValueError(f"draw reward {draw_reward} is not a number from -1 to 1")


def move_values(game: Game, after: Floats) -> Floats:
    """[S, A] The value of each action from that of its afterstate; -inf where not allowed."""
    return np.where(game.allowed, after[game.afterstates], -np.inf)


def greedy_actions(game: Game, values: NDArray[np.floating]) -> NDArray[np.intp]:
    """[S] The allowed action of the highest value in each state, the first of equals."""
    if values.shape != game.allowed.shape:
        raise ValueError(f"values of shape {values.shape}: allowed is {game.allowed.shape}")
    if not np.isfinite(values[game.allowed]).all():
        raise ValueError("values of allowed actions must be finite numbers")
    actions: NDArray[np.intp] = np.where(game.allowed, values, -np.inf).argmax(1)
    return actions


def mate_probabilities(game: Game) -> Floats:
    """[S] The highest probability of mate, approached from below; 1 where it is exactly 1."""
    ahead = look_ahead(game)
    probabilities = np.zeros(game.states)
    while True:
        better = ahead.highest_choice(ahead.mean_reply(probabilities, mate=1.0, draw=0.0))
        if (better - probabilities).max() <= 0:
            return probabilities
        probabilities = better


def worst_moves(game: Game) -> Floats:
    """[S] The fewest moves that force mate against best defence; inf where nothing does."""
    ahead = look_ahead(game)
    moves = np.full(game.states, np.inf)
    while True:
        after = ahead.highest_reply(moves, mate=0.0, draw=np.inf)
        fewer = 1 + ahead.lowest_choice(after)
        if (fewer == moves).all():
            return moves
        moves = fewer


def least_moves(game: Game, enough: Floats) -> Floats:
    """[S] The least expected moves to mate among policies that never draw.

    Two bounds close in on it. The lower one starts at 0, the upper one at `enough`, the moves that
    some such policy never exceeds.
    """
    ahead = look_ahead(game)
    low, high = np.zeros(game.states), enough
    while (high - low).max() > ERROR:
        low = 1 + ahead.lowest_choice(ahead.mean_reply(low, mate=0.0, draw=np.inf))
        high = 1 + ahead.lowest_choice(ahead.mean_reply(high, mate=0.0, draw=np.inf))
    return (low + high) / 2


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution:
    """Scalars are means over the starts, weighted by their probability; arrays are by state."""

    size: int
    gamma: float
    draw_reward: float
    states: int
    random_mate_probability: float
    random_mean_moves: float
    best_mate_probability: float
    optimal_mean_moves: float  # least expected moves among policies that never draw
    worst_case_moves: int  # fewest that force mate from the worst start against best defence
    optimal_value: float  # expected discounted reward of perfect play
    value_error: float  # bound on the absolute error of every Q-value
    q_values: Floats  # [S, A], -inf where not allowed
    least_moves: Floats  # [S], expected moves to mate
    worst_moves: NDArray[np.int16]  # [S], moves that force mate

    def scalars(self) -> dict[str, int | float]:
        """Every field that is one number."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if np.ndim(value) == 0}


def solve(
    game: Game, gamma: float, draw_reward: float, on_part: Callable[[], None] = lambda: None
) -> Solution:
    """Solves the game; `on_part` is called after each of the `PARTS` parts."""
    values = optimal_values(game, gamma, draw_reward)
    on_part()
    random_mates, random_moves = random_agent(game)
    on_part()
    best_mates = mate_probabilities(game)
    on_part()
    forced = worst_moves(game)
    on_part()
    least = least_moves(game, enough=forced)
    on_part()
    start = game.start_probabilities
    return Solution(
        size=game.size,
        gamma=gamma,
        draw_reward=draw_reward,
        states=game.states,
        random_mate_probability=random_mates,
        random_mean_moves=random_moves,
        best_mate_probability=_mean(best_mates, start),
        optimal_mean_moves=_mean(least, start),
        worst_case_moves=int(forced[start > 0].max()),
        optimal_value=_mean(values.states, start),
        value_error=values.error,
        q_values=move_values(game, values.after),
        least_moves=least,
        worst_moves=forced.astype(np.int16),
    )


def _mean(values: Floats, probabilities: Floats) -> float:
    return float((values * probabilities).sum() / probabilities.sum())


def random_agent(game: Game) -> tuple[float, float]:
    """Mate probability and mean moves of an agent that plays allowed moves uniformly."""
    ahead = look_ahead(game)

    def afterstate_visits(visits: Floats) -> Floats:
        per_choice = np.repeat(visits / ahead.choice_counts, ahead.choice_counts)
        after: NDArray[Any] = np.bincount(ahead.choices, per_choice, len(game.endings))
        return after

    def flow(visits: Floats) -> Floats:
        per_reply = afterstate_visits(visits) / np.maximum(game.reply_counts, 1)
        per_reply = np.repeat(per_reply, game.reply_counts)
        states: NDArray[Any] = np.bincount(ahead.replies, per_reply, game.states)
        return states

    visits = balance(game.start_probabilities, flow)
    after = afterstate_visits(visits)
    ended = after[game.endings != ONGOING].sum()
    return float(after[game.endings == MATE].sum() / ended), float(visits.sum())


def save_solution(solution: Solution, path: Path) -> None:
    """Writes arrays and scalars as safetensors; the file appears complete or not at all."""
    from safetensors.numpy import save

    arrays: dict[str, NDArray[Any]] = {
        "q_values": solution.q_values,
        "least_moves": solution.least_moves,
        "worst_moves": solution.worst_moves,
    }
    scalars = {name: repr(value) for name, value in solution.scalars().items()}
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_bytes(save(arrays, metadata=scalars))
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
