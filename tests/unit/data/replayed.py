"""Replays to sample from, and what was sampled."""

import numpy as np
from numpy.typing import NDArray

from selfmate.data.replay import Priority, SampleFractions, TransitionReplay
from selfmate.data.transitions import Transitions

MAIN = SampleFractions(main=1, decisive=0, recent=0)
PRIORITY = Priority(alpha=0.6, beta=0.4, epsilon=0.01)


def every_row(replay: TransitionReplay) -> NDArray[np.int64]:
    """Every row that can be sampled, once."""
    return np.unique(replay.sample(np.random.default_rng(0), 4000).rows)


def numbers_of(transitions: Transitions) -> list[int]:
    """The numbers of the made-up rows."""
    return [int.from_bytes(bytes(state[:4]), "big") for state in transitions.states]
