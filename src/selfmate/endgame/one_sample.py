"""The net for one sample at a time: what a batch does in products, here vector by vector."""

import math

import numpy as np
from numpy.typing import NDArray

from selfmate.endgame.net import Array, Net, activate, before


class OneSample:
    """Steps straight down the gradient of half a squared error, on the parameters of `net`.

    Of a state vector only five columns are one, so only their rows of the first layer take part.
    """

    def __init__(self, net: Net, features: NDArray[np.int16]) -> None:
        self._net = net
        bias = np.full((len(features), 1), net.shape.inputs)
        self._rows = np.concatenate([features, bias], axis=1).astype(np.intp)
        self._sigmoid = net.shape.output == "sigmoid"

    def hidden(self, state: int) -> list[Array]:
        """What the hidden layers make of a state, lowest first."""
        first, *middle = self._net.layers[:-1]
        levels = [self._activated(first.take(self._rows[state], axis=0).sum(axis=0))]
        for layer in middle:
            levels.append(self._activated(levels[-1] @ layer[:-1] + layer[-1]))
        return levels

    def values(self, state: int) -> Array:
        """Of all actions; before the output's activation, which does not change their order."""
        last = self._net.layers[-1]
        values: Array = self.hidden(state)[-1] @ last[:-1] + last[-1]
        return values

    def learn(self, state: int, action: int, target: float, rate: float) -> float:
        """Moves the value of an action towards its target; returns the error before that."""
        levels = self.hidden(state)
        last = self._net.layers[-1]
        weights = last[:-1, action]
        value = float(levels[-1] @ weights + last[-1, action])
        value = 1 / (1 + math.exp(-value)) if self._sigmoid else value
        error = value - target
        step = -rate * error * (value * (1 - value) if self._sigmoid else 1)
        steps = weights * weights.dtype.type(step)
        weights += levels[-1] * weights.dtype.type(step)
        last[-1, action] += step
        self._go_down(state, levels, steps)
        return error

    def _go_down(self, state: int, levels: list[Array], steps: Array) -> None:
        """Through the hidden layers; `steps` are the errors times minus the learning rate."""
        activation = self._net.shape.activation
        for number in reversed(range(1, len(levels))):
            layer = self._net.layers[number]
            steps = before(steps, levels[number], activation)
            lower = layer[:-1] @ steps
            layer[:-1] += np.outer(levels[number - 1], steps)
            layer[-1] += steps
            steps = lower
        self._net.layers[0][self._rows[state]] += before(steps, levels[0], activation)

    def _activated(self, sums: Array) -> Array:
        activate(sums, self._net.shape.activation, sums)
        return sums
