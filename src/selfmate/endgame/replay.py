"""What was experienced lately, to be learned from again."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.endgame.games import Moves


class Replay:
    """The last `capacity` moves, as states' numbers: the oldest make room for the newest."""

    def __init__(self, capacity: int) -> None:
        self.states = np.zeros(capacity, np.intp)
        self.actions = np.zeros(capacity, np.intp)
        self.rewards = np.zeros(capacity, np.float32)
        self.next_states = np.zeros(capacity, np.intp)
        self.goes_on = np.zeros(capacity, np.float32)
        self.stored = np.array(0, np.int64)  # ever, also those that are gone

    def __len__(self) -> int:
        return min(int(self.stored), len(self.states))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that changes, to be saved and restored in place."""
        names = ("states", "actions", "rewards", "next_states", "goes_on", "stored")
        return {name: getattr(self, name) for name in names}

    def store(self, moves: Moves) -> None:
        places = (self.stored + np.arange(len(moves.states))) % len(self.states)
        self.states[places] = moves.states
        self.actions[places] = moves.actions
        self.rewards[places] = moves.rewards
        self.next_states[places] = moves.next_states
        self.goes_on[places] = moves.goes_on
        self.stored += len(places)

    def sample(self, dice: np.random.Generator, count: int) -> Moves:
        """Moves drawn with equal chances, with repetition."""
        places = (dice.random(count) * len(self)).astype(np.intp)
        return Moves(
            states=self.states.take(places),
            actions=self.actions.take(places),
            rewards=self.rewards.take(places),
            next_states=self.next_states.take(places),
            goes_on=self.goes_on.take(places),
        )
