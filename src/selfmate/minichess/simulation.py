"""Many games of mini-chess played side by side, by table lookup.

Every game has a random stream of its own, so it does not depend on the games beside it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from selfmate.minichess.game import MATE, ONGOING, Game

# A game's stream has one draw for its start, then five for every move: whether to explore and which
# action, the same two again for agents that choose twice, and the enemy's reply.
DRAWS_PER_MOVE = np.uint64(5)
_DRAWS = np.arange(1, 6, dtype=np.uint64)[:, None]
_MOVES_AHEAD = np.arange(8, dtype=np.uint64)[:, None, None]  # whose draws are made at a time
_GAMES_AHEAD = 1024  # whose streams and starts are made at a time

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_BITS_TO_DROP, _TO_UNIT = np.uint64(11), np.float64(2.0**-53)


class Transitions(NamedTuple):
    """One move in each game; arrays of [games]."""

    states: NDArray[np.intp]
    actions: NDArray[np.intp]
    rewards: NDArray[np.float32]
    next_states: NDArray[np.intp]  # undefined where the game has ended
    continues: NDArray[np.float32]  # 1, or 0 where the game has ended


class ParallelGames:
    """Games in progress. A game that ends is counted, and the next one starts in its slot.

    Each move is `choose`, then `play`. Its random draws depend on seed, game and move alone.
    """

    def __init__(self, game: Game, count: int, *, seed: int, draw_reward: float) -> None:
        self._width = game.actions
        self._forbidden = np.where(game.allowed, 0, -np.inf).astype(np.float32)
        self._choices, self._choice_counts = _allowed_first(game.allowed)
        self._afterstates = game.afterstates.astype(np.intp)
        self._endings = game.endings
        self._continues = (game.endings == ONGOING).astype(np.float32)
        self._rewards = np.array([0, 1, draw_reward], np.float32)[game.endings]  # by afterstate
        self._replies, self._reply_counts = game.replies.astype(np.intp), game.reply_counts
        self._starts = _Starts(game, seed)
        self.numbers = np.arange(count, dtype=np.int64)
        self.finished = np.array(0, np.int64)
        self.plies = np.zeros(count, np.uint64)
        self.keys, self.states = self._starts.of(self.numbers)
        self.stats = GameStats()
        self.refresh()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The state to save, and to restore in place before `refresh`."""
        names = ("numbers", "finished", "plies", "keys", "states")
        return {name: getattr(self, name) for name in names}

    def refresh(self) -> None:
        """Makes the draws for the next moves of every game."""
        places = (self.plies + _MOVES_AHEAD) * DRAWS_PER_MOVE + _DRAWS
        self._draws = uniform_draws(self.keys, places)  # [moves ahead, 5, games]
        self._next = 0

    def choose(
        self,
        values: NDArray[np.float32],
        epsilon: float | NDArray[np.float64],
        *,
        again: bool = False,
    ) -> NDArray[np.intp]:
        """Epsilon-greedy actions by `values` [games, A], among the allowed ones. `again` uses the
        second pair of draws, for agents that choose twice."""
        draws = self._draws[self._next]
        explore, which = draws[2:4] if again else draws[:2]
        actions: NDArray[np.intp] = (values + self._forbidden.take(self.states, axis=0)).argmax(
            axis=1
        )
        exploring = explore < epsilon
        if np.count_nonzero(exploring):
            counts = self._choice_counts.take(self.states)
            places = self.states * self._width + (which * counts).astype(np.intp)
            np.copyto(actions, self._choices.take(places), where=exploring)
        return actions

    def play(self, actions: NDArray[np.intp]) -> Transitions:
        """Plays the actions and the enemy's replies; starts new games where one has ended."""
        states = self.states.copy()
        afterstates = self._afterstates.take(states * self._width + actions)
        which = (self._draws[self._next, 4] * self._reply_counts.take(afterstates)).astype(np.intp)
        replies = self._replies.take(afterstates * 8 + which)
        continues = self._continues.take(afterstates)
        self.states[:] = replies
        self.plies += np.uint64(1)
        any_ended = np.count_nonzero(continues) < len(continues)
        if any_ended:
            self._start_next(np.flatnonzero(continues == 0), afterstates)
        self._next += 1
        if any_ended or self._next == len(self._draws):
            self.refresh()
        return Transitions(states, actions, self._rewards.take(afterstates), replies, continues)

    def _start_next(self, slots: NDArray[np.intp], afterstates: NDArray[np.intp]) -> None:
        last = afterstates[slots]
        self.stats.count(self._rewards[last], self.plies[slots], self._endings[last])
        numbers = self.finished + len(self.numbers) + np.arange(len(slots))
        self.finished += len(slots)
        self.numbers[slots] = numbers
        self.plies[slots] = 0
        self.keys[slots], self.states[slots] = self._starts.of(numbers)


class GameStats:
    """Statistics of the games that ended since they were last taken."""

    def __init__(self) -> None:
        self._sums = np.zeros(4)

    def count(
        self, rewards: NDArray[np.float32], moves: NDArray[np.uint64], endings: NDArray[np.int8]
    ) -> None:
        mates = np.count_nonzero(endings == MATE)
        self._sums += np.array([len(rewards), rewards.sum(), moves.sum(), mates])

    def take(self) -> dict[str, float]:
        """Means per game; then counting starts anew."""
        games, reward, moves, mates = self._sums.tolist()
        self._sums[:] = 0
        return {
            "reward": reward / games,
            "moves": moves / games,
            "mate_percent": 100 * mates / games,
        }


class _Starts:
    """Streams and first states of games, computed many at a time: games start in order."""

    def __init__(self, game: Game, seed: int) -> None:
        self._seed = seed
        self._sums = np.cumsum(game.start_probabilities)
        self._compute(0)

    def of(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
        """Keys and states of games with consecutive numbers."""
        first, last = int(numbers[0]), int(numbers[-1])
        if not self._first <= first <= last < self._first + len(self._keys):
            self._compute(first, last + 1 - first)
        rows = slice(first - self._first, last + 1 - self._first)
        return self._keys[rows].copy(), self._states[rows].copy()

    def _compute(self, first: int, at_least: int = 0) -> None:
        self._first = first
        self._keys = stream_keys(self._seed, first + np.arange(max(at_least, _GAMES_AHEAD)))
        drawn = uniform_draws(self._keys, np.zeros(1, np.uint64)) * self._sums[-1]
        self._states = np.searchsorted(self._sums, drawn, side="right")


def _allowed_first(allowed: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """[S, A] and [S]: the actions of each state with the allowed ones first, and their number."""
    return np.argsort(~allowed, axis=1, kind="stable"), allowed.sum(axis=1)


def stream_keys(seed: int, games: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The key of each game's stream, from the seed and the game's number."""
    (start,) = _mixed(np.array([seed], np.uint64))
    return _mixed(games.astype(np.uint64) ^ start)


def uniform_draws(keys: NDArray[np.uint64], places: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Uniform numbers in [0, 1): the SplitMix64 streams of `keys` at the given places."""
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
