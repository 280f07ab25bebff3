"""Moves by a net that does not know the rules: it tries any action until one is legal."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from selfmate import _core
from selfmate.rules.ragged import Ragged


class Attempts(NamedTuple):
    chosen: NDArray[np.int32]  # [B] legal actions
    illegal: Ragged  # what was tried before, in order


def attempt_actions(
    logits: NDArray[np.float32],
    legal: Ragged,
    dice: NDArray[np.uint64],
    *,
    temperature: float,
    most: int,
) -> Attempts:
    """Draws actions with the probabilities softmax(logits / temperature), at 0 the likeliest, until
    one is legal. None is drawn twice. After so many that are not, the likeliest legal one is taken.
    """
    chosen, values, offsets = _core.attempt_actions(
        logits, legal.values, legal.offsets, dice, temperature, most
    )
    return Attempts(chosen, Ragged(values, offsets))
