"""Values of nets as scores in pawns."""

import numpy as np
from numpy.typing import NDArray

from selfmate.search.teacher import VALUE_SCALE_PAWNS

MOST_VALUE = 0.9999  # as a score: 20 pawns; beyond it, values of 1 and more would have none


def pawns_of(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """By the scale on which the teacher's scores became values."""
    within = np.clip(values, -MOST_VALUE, MOST_VALUE)
    return np.float32(VALUE_SCALE_PAWNS) * np.arctanh(within)
