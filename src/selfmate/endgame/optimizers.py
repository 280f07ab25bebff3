"""What is done with a gradient."""

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Optimizer(Protocol):
    def step(self, gradient: Array, learning_rate: float) -> Array:
        """What to add to the parameters to go downhill; may be the gradient itself, changed."""

    def arrays(self) -> dict[str, Array]:
        """All that changes, to be saved and restored in place."""


class Sgd:
    """Straight down the gradient."""

    def step(self, gradient: Array, learning_rate: float) -> Array:
        gradient *= gradient.dtype.type(-learning_rate)
        return gradient

    def arrays(self) -> dict[str, Array]:
        return {}


class Adam:
    """Kingma and Ba (2015). The moments are kept without their factors (1 - beta), and those and
    the corrections for a short past are put into two numbers: fewer passes, the same steps."""

    FIRST, SECOND = 0.9, 0.999

    def __init__(self, parameters: Array, epsilon: float) -> None:
        self.count = np.array(0, np.int64)
        self.first = np.zeros_like(parameters)
        self.second = np.zeros_like(parameters)
        self._work = np.zeros_like(parameters)
        self._epsilon = epsilon

    def step(self, gradient: Array, learning_rate: float) -> Array:
        first, second, work, real = self.first, self.second, self._work, gradient.dtype.type
        self.count += 1
        mean = (1 - self.FIRST) / (1 - self.FIRST**self.count)
        deviation = math.sqrt((1 - self.SECOND) / (1 - self.SECOND**self.count))
        first *= real(self.FIRST)
        first += gradient
        second *= real(self.SECOND)
        second += np.multiply(gradient, gradient, out=work)
        np.sqrt(second, out=work)
        work += real(self._epsilon / deviation)
        np.divide(first, work, out=work)
        work *= real(-learning_rate * mean / deviation)
        return work

    def arrays(self) -> dict[str, Array]:
        return {"count": self.count, "first": self.first, "second": self.second}
