"""Replays to sample from, and what was sampled."""

import numpy as np
from numpy.typing import NDArray

from selfmate.data.priorities import Priority
from selfmate.data.replay import Retention, SampleFractions, TransitionReplay
from selfmate.data.transitions import Transitions

MAIN = SampleFractions(main=1, high_quality=0, recent=0)
PRIORITY = Priority(alpha=0.6, beta=0.4, epsilon=0.01)


def keeping(
    main: int, *, high_quality: int = 30, min_quality: float = 0.5, recent: int = 20
) -> Retention:
    return Retention(main=main, high_quality=high_quality, min_quality=min_quality, recent=recent)


def every_row(replay: TransitionReplay) -> NDArray[np.int64]:
    """Every row that can be sampled, once."""
    return np.unique(replay.sample(np.random.default_rng(0), 4000).rows)


def numbers_of(transitions: Transitions) -> list[int]:
    """The numbers of the made-up rows."""
    return [int.from_bytes(bytes(state[:4]), "big") for state in transitions.states]
