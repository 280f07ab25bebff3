"""Many games of mini-chess, stepped together by looking up tables."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from selfmate.endgame.dice import rolls, stream_keys
from selfmate.endgame.game import GOES_ON, MATE, Game

# Places of a game's stream: 0 for its start, then five for every move: whether to explore and
# what, the same once more for those who choose twice, and the enemy's reply.
PER_MOVE = np.uint64(5)
_PLACES = np.arange(1, 6, dtype=np.uint64)[:, None]
_PLIES = np.arange(8, dtype=np.uint64)[:, None, None]
_GAMES_AHEAD = 1024  # whose streams and starts are made at a time


class Moves(NamedTuple):
    """One move in each game; arrays of [games]."""

    states: NDArray[np.intp]
    actions: NDArray[np.intp]
    rewards: NDArray[np.float32]
    next_states: NDArray[np.intp]  # without meaning where the game has ended
    goes_on: NDArray[np.float32]  # 1, or 0 where the game has ended


class Games:
    """Games in progress. Where one ends it is counted, and the next begins in its place.

    A move is `choose`, then `play`; what is thrown for it depends on seed, game and move alone.
    """

    def __init__(self, game: Game, count: int, *, seed: int, draw_reward: float) -> None:
        self._width = game.actions
        self._forbidden = np.where(game.allowed, 0, -np.inf).astype(np.float32)
        self._choices, self._choice_counts = _listed(game.allowed)
        self._afterstates = game.afterstates.astype(np.intp)
        self._endings = game.endings
        self._goes_on = (game.endings == GOES_ON).astype(np.float32)
        self._rewards = np.array([0, 1, draw_reward], np.float32)[game.endings]  # by afterstate
        self._replies, self._reply_counts = game.replies.astype(np.intp), game.reply_counts
        self._beginnings = _Beginnings(game, seed)
        self.numbers = np.arange(count, dtype=np.int64)
        self.finished = np.array(0, np.int64)
        self.plies = np.zeros(count, np.uint64)
        self.keys, self.states = self._beginnings.of(self.numbers)
        self.tally = Tally()
        self.refresh()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that changes, to be saved and restored in place (then `refresh`)."""
        names = ("numbers", "finished", "plies", "keys", "states")
        return {name: getattr(self, name) for name in names}

    def refresh(self) -> None:
        """Throws for the next moves of every game."""
        self._throws = rolls(self.keys, (self.plies + _PLIES) * PER_MOVE + _PLACES)
        self._next = 0

    def choose(
        self,
        values: NDArray[np.float32],
        epsilon: float | NDArray[np.float64],
        *,
        again: bool = False,
    ) -> NDArray[np.intp]:
        """The best allowed actions by `values` [games, A]; with chance epsilon, any allowed.
        `again` throws anew, for those who choose twice."""
        throws = self._throws[self._next]
        explore, which = throws[2:4] if again else throws[:2]
        actions: NDArray[np.intp] = (values + self._forbidden.take(self.states, axis=0)).argmax(
            axis=1
        )
        exploring = explore < epsilon
        if np.count_nonzero(exploring):
            counts = self._choice_counts.take(self.states)
            places = self.states * self._width + (which * counts).astype(np.intp)
            np.copyto(actions, self._choices.take(places), where=exploring)
        return actions

    def play(self, actions: NDArray[np.intp]) -> Moves:
        """The actions, the enemy's replies, and new games where one has ended."""
        states = self.states.copy()
        afterstates = self._afterstates.take(states * self._width + actions)
        which = (self._throws[self._next, 4] * self._reply_counts.take(afterstates)).astype(np.intp)
        replies = self._replies.take(afterstates * 8 + which)
        goes_on = self._goes_on.take(afterstates)
        rewards = self._rewards.take(afterstates)
        self.states[:] = replies
        self.plies += np.uint64(1)
        any_ended = np.count_nonzero(goes_on) < len(goes_on)
        if any_ended:
            self._end(np.flatnonzero(goes_on == 0), afterstates)
        self._next += 1
        if any_ended or self._next == len(self._throws):
            self.refresh()
        return Moves(
            states=states, actions=actions, rewards=rewards, next_states=replies, goes_on=goes_on
        )

    def _end(self, which: NDArray[np.intp], afterstates: NDArray[np.intp]) -> None:
        last = afterstates[which]
        self.tally.count(self._rewards[last], self.plies[which], self._endings[last])
        numbers = self.finished + len(self.numbers) + np.arange(len(which))
        self.finished += len(which)
        self.numbers[which] = numbers
        self.plies[which] = 0
        self.keys[which], self.states[which] = self._beginnings.of(numbers)


class _Beginnings:
    """Streams and first states of games, made many at a time; games begin in order."""

    def __init__(self, game: Game, seed: int) -> None:
        self._seed = seed
        self._sums = np.cumsum(game.start_probabilities)
        self._make(0)

    def of(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
        """Keys and states of games with consecutive numbers."""
        first, last = int(numbers[0]), int(numbers[-1])
        if not self._first <= first <= last < self._first + len(self._keys):
            self._make(first, last + 1 - first)
        row = slice(first - self._first, last + 1 - self._first)
        return self._keys[row].copy(), self._states[row].copy()

    def _make(self, first: int, at_least: int = 0) -> None:
        self._first = first
        self._keys = stream_keys(self._seed, first + np.arange(max(at_least, _GAMES_AHEAD)))
        thrown = rolls(self._keys, np.zeros(1, np.uint64)) * self._sums[-1]
        self._states = np.searchsorted(self._sums, thrown, side="right")


class Tally:
    """What the games that ended since the last look came to."""

    def __init__(self) -> None:
        self._sums = np.zeros(4)

    def count(
        self, rewards: NDArray[np.float32], moves: NDArray[np.uint64], endings: NDArray[np.int8]
    ) -> None:
        mates = np.count_nonzero(endings == MATE)
        self._sums += np.array([len(rewards), rewards.sum(), moves.sum(), mates])

    def take(self) -> dict[str, float]:
        """Averages a game, and a new beginning."""
        games, reward, moves, mates = self._sums.tolist()
        self._sums[:] = 0
        return {
            "reward": reward / games,
            "moves": moves / games,
            "mate_percent": 100 * mates / games,
        }


def _listed(allowed: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The allowed actions of each state, before the others in its row, and how many there are."""
    return np.argsort(~allowed, axis=1, kind="stable"), allowed.sum(axis=1)
