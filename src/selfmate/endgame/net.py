"""A net that values every action of a state: forward and backward written out, no autodiff."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

Activation = Literal["linear", "relu", "sigmoid"]
Array = NDArray[Any]  # float32 in training, float64 where gradients are checked


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a net looks like: enough to build it, and to play its weights."""

    inputs: int
    hidden: tuple[int, ...]
    outputs: int
    activation: Activation
    output: Activation

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.inputs, *self.hidden, self.outputs)


class Net:
    """Fully connected layers. All parameters lie in one vector, so that an optimizer is one line.

    A layer is [inputs + 1, outputs], its last row the bias: every level but the last has a column
    of ones at its end, and so biases cost nothing of their own. Rows of levels are samples.
    """

    def __init__(self, shape: Shape, dtype: DTypeLike = np.float32) -> None:
        self.shape = shape
        self.parameters: Array = np.zeros(sum((a + 1) * b for a, b in pairwise(shape.sizes)), dtype)
        self.gradient: Array = np.zeros_like(self.parameters)
        self.layers = layers_of(self.parameters, shape)
        self._gradients = layers_of(self.gradient, shape)
        self._activations = [*(shape.activation for _ in shape.hidden), shape.output]
        self._levels: list[Array] = []

    def arrays(self) -> dict[str, Array]:
        """The layers by name, to be saved and restored in place."""
        return {f"layer{number}": layer for number, layer in enumerate(self.layers)}

    def forward(self, inputs: Array) -> list[Array]:
        """All levels, from the inputs (see `as_inputs`) to the action values.

        They are overwritten by the next call."""
        levels = [inputs, *self._room(len(inputs))]
        for layer, below, above, activation in zip(
            self.layers, levels, levels[1:], self._activations, strict=False
        ):
            activate(below @ layer, activation, above[:, : layer.shape[1]])
        return levels

    def values(self, inputs: Array) -> Array:
        return self.forward(inputs)[-1]

    def backward(self, levels: Sequence[Array], errors: Array) -> Array:
        """The gradient of sum(errors * values), with `errors` [samples, A] held fixed."""
        delta = errors
        for number in reversed(range(len(self.layers))):
            layer = self.layers[number]
            above = levels[number + 1][:, : layer.shape[1]]
            delta = before(delta, above, self._activations[number])
            np.dot(levels[number].T, delta, out=self._gradients[number])
            if number:
                delta = delta @ layer[:-1].T
        return self.gradient

    def _room(self, samples: int) -> list[Array]:
        if not self._levels or len(self._levels[0]) < samples:
            hidden = [
                np.ones((samples, size + 1), self.parameters.dtype) for size in self.shape.hidden
            ]
            self._levels = [*hidden, np.ones((samples, self.shape.outputs), self.parameters.dtype)]
        return [level[:samples] for level in self._levels]


def as_inputs(vectors: Array) -> Array:
    """State vectors with the column of ones that the biases need."""
    return np.concatenate([vectors, np.ones_like(vectors[:, :1])], axis=1)


def layers_of(flat: Array, shape: Shape) -> list[Array]:
    """The layers in a vector of all parameters, as views."""
    layers, start = [], 0
    for inputs, outputs in pairwise(shape.sizes):
        stop = start + (inputs + 1) * outputs
        layers.append(flat[start:stop].reshape(inputs + 1, outputs))
        start = stop
    return layers


def activate(sums: Array, activation: Activation, out: Array) -> None:
    """Writes to `out`, which may be `sums`; they are not the same afterwards in any case."""
    if activation == "relu":
        np.maximum(sums, 0, out=out)
    elif activation == "sigmoid":
        np.negative(sums, out=sums)
        np.exp(sums, out=sums)
        sums += 1
        np.reciprocal(sums, out=out)
    elif out is not sums:
        out[:] = sums


def before(delta: Array, level: Array, activation: Activation) -> Array:
    """Errors before an activation, from those behind it and what it gave."""
    if activation == "relu":
        return delta * (level > 0)
    if activation == "sigmoid":
        slope = level * level
        np.subtract(level, slope, out=slope)
        slope *= delta
        return slope
    return delta


def initialise(net: Net, dice: np.random.Generator, how: Literal["xavier", "listing"]) -> None:
    """Random weights, biases zero.

    Glorot and Bengio's normalised initialisation is *uniform* in +-sqrt(6 / (in + out)); the
    seed's listing takes that bound for the deviation of a normal distribution.
    """
    for layer in net.layers:
        shape = (layer.shape[0] - 1, layer.shape[1])
        bound = np.sqrt(6 / sum(shape))
        drawn = (
            dice.uniform(-bound, bound, shape) if how == "xavier" else dice.normal(0, bound, shape)
        )
        layer[:-1], layer[-1] = drawn, 0
