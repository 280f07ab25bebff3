"""Figures of several updates, in one."""

from collections.abc import Sequence

import numpy as np


def means_of(told: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean of each figure."""
    return {name: float(np.mean([one[name] for one in told])) for name in told[0]}
