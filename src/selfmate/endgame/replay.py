"""What was experienced lately, to be learned from again."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.endgame.games import Moves


class Replay:
    """The last `capacity` moves, as states' numbers: the oldest make room for the newest."""

    def __init__(self, capacity: int) -> None:
        self.indices = np.zeros((3, capacity), np.intp)  # state, action, next state
        self.numbers = np.zeros((2, capacity), np.float32)  # reward, goes on
        self.stored = np.array(0, np.int64)  # ever, also those that are gone

    def __len__(self) -> int:
        return min(int(self.stored), self.indices.shape[1])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that changes, to be saved and restored in place."""
        return {"indices": self.indices, "numbers": self.numbers, "stored": self.stored}

    def store(self, moves: Moves) -> None:
        count = len(moves.states)
        places = (int(self.stored) + np.arange(count)) % self.indices.shape[1]
        self.indices[:, places] = (moves.states, moves.actions, moves.next_states)
        self.numbers[:, places] = (moves.rewards, moves.goes_on)
        self.stored += count

    def sample(self, dice: np.random.Generator, count: int) -> Moves:
        """Moves drawn with equal chances, with repetition."""
        places = (dice.random(count) * len(self)).astype(np.intp)
        states, actions, next_states = self.indices.take(places, axis=1)
        rewards, goes_on = self.numbers.take(places, axis=1)
        return Moves(states, actions, rewards, next_states, goes_on)
