"""A fully connected net that values every action of a state, and its optimizers, in NumPy: forward
and backward passes are written out, there is no autodiff.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

Activation = Literal["linear", "relu", "sigmoid"]
Array = NDArray[Any]  # float32 in training, float64 where gradients are checked


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Sizes and activations of a net: all that is needed to build it and load its weights."""

    inputs: int
    hidden: tuple[int, ...]
    outputs: int
    activation: Activation
    output: Activation

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.inputs, *self.hidden, self.outputs)


class Net:
    """Fully connected layers whose parameters share one vector, so that optimizers see one array.

    A layer is [inputs + 1, outputs], its last row the bias. The activations of every layer but the
    last end with a column of ones, so that biases need no code of their own. Rows are samples.
    """

    def __init__(self, shape: Shape, dtype: DTypeLike = np.float32) -> None:
        self.shape = shape
        self.parameters: Array = np.zeros(sum((a + 1) * b for a, b in pairwise(shape.sizes)), dtype)
        self.gradient: Array = np.zeros_like(self.parameters)
        self.layers = layers_of(self.parameters, shape)
        self._gradients = layers_of(self.gradient, shape)
        self._kinds = [*(shape.activation for _ in shape.hidden), shape.output]
        self._buffers: list[Array] = []

    def arrays(self) -> dict[str, Array]:
        """The layers by name, to be saved and restored in place."""
        return {f"layer{number}": layer for number, layer in enumerate(self.layers)}

    def forward(self, inputs: Array) -> list[Array]:
        """The activations of all layers, from the inputs (see `as_inputs`) to the action values.

        The next call overwrites them."""
        activations = [inputs, *self._outputs(len(inputs))]
        for layer, below, above, kind in zip(
            self.layers, activations, activations[1:], self._kinds, strict=False
        ):
            activate(below @ layer, kind, above[:, : layer.shape[1]])
        return activations

    def values(self, inputs: Array) -> Array:
        return self.forward(inputs)[-1]

    def backward(self, activations: Sequence[Array], errors: Array) -> Array:
        """The gradient of sum(errors * values), with `errors` [samples, A] held constant."""
        delta = errors
        for number in reversed(range(len(self.layers))):
            layer = self.layers[number]
            above = activations[number + 1][:, : layer.shape[1]]
            delta = activation_backward(delta, above, self._kinds[number])
            np.dot(activations[number].T, delta, out=self._gradients[number])
            if number:
                delta = delta @ layer[:-1].T
        return self.gradient

    def _outputs(self, samples: int) -> list[Array]:
        """Buffers for the outputs of all layers, with their column of ones."""
        if not self._buffers or len(self._buffers[0]) < samples:
            dtype = self.parameters.dtype
            hidden = [np.ones((samples, size + 1), dtype) for size in self.shape.hidden]
            self._buffers = [*hidden, np.ones((samples, self.shape.outputs), dtype)]
        return [buffer[:samples] for buffer in self._buffers]


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


def activate(sums: Array, kind: Activation, out: Array) -> None:
    """Writes the activations to `out`, which may be `sums`; `sums` is overwritten in any case."""
    if kind == "relu":
        np.maximum(sums, 0, out=out)
    elif kind == "sigmoid":
        np.negative(sums, out=sums)
        np.exp(sums, out=sums)
        sums += 1
        np.reciprocal(sums, out=out)
    elif out is not sums:
        out[:] = sums


def activation_backward(delta: Array, outputs: Array, kind: Activation) -> Array:
    """Errors at an activation's inputs, from the errors at its outputs."""
    if kind == "relu":
        return delta * (outputs > 0)
    if kind == "sigmoid":
        slope = outputs * outputs
        np.subtract(outputs, slope, out=slope)
        slope *= delta
        return slope
    return delta


def initialise(net: Net, rng: np.random.Generator, how: Literal["xavier", "listing"]) -> None:
    """Random weights, biases zero.

    Glorot and Bengio's normalised initialisation is *uniform* in +-sqrt(6 / (in + out)). The
    listings of the reference design use that bound as the deviation of a normal distribution.
    """
    for layer in net.layers:
        shape = (layer.shape[0] - 1, layer.shape[1])
        bound = np.sqrt(6 / sum(shape))
        drawn = (
            rng.uniform(-bound, bound, shape) if how == "xavier" else rng.normal(0, bound, shape)
        )
        layer[:-1], layer[-1] = drawn, 0


class OneSample:
    """Plain gradient descent on half a squared error, one sample at a time, on the parameters of
    `net`.

    Only five columns of a state vector are one, so only their rows of the first layer take part.
    """

    def __init__(self, net: Net, features: NDArray[np.int16]) -> None:
        self._net = net
        bias = np.full((len(features), 1), net.shape.inputs)
        self._rows = np.concatenate([features, bias], axis=1).astype(np.intp)
        self._sigmoid = net.shape.output == "sigmoid"

    def hidden(self, state: int) -> list[Array]:
        """The activations of the hidden layers, lowest first."""
        first, *middle = self._net.layers[:-1]
        activations = [self._activated(first.take(self._rows[state], axis=0).sum(axis=0))]
        for layer in middle:
            activations.append(self._activated(activations[-1] @ layer[:-1] + layer[-1]))
        return activations

    def values(self, state: int) -> Array:
        """[A] Before the output's activation, which keeps their order."""
        last = self._net.layers[-1]
        values: Array = self.hidden(state)[-1] @ last[:-1] + last[-1]
        return values

    def learn(self, state: int, action: int, target: float, rate: float) -> float:
        """Moves the value of an action towards its target; returns the error before the step."""
        activations = self.hidden(state)
        last = self._net.layers[-1]
        weights = last[:-1, action]
        value = float(activations[-1] @ weights + last[-1, action])
        value = 1 / (1 + math.exp(-value)) if self._sigmoid else value
        error = value - target
        step = -rate * error * (value * (1 - value) if self._sigmoid else 1)
        steps = weights * weights.dtype.type(step)
        weights += activations[-1] * weights.dtype.type(step)
        last[-1, action] += step
        self._update_hidden(state, activations, steps)
        return error

    def _update_hidden(self, state: int, activations: list[Array], steps: Array) -> None:
        """`steps` are the errors times minus the learning rate."""
        kind = self._net.shape.activation
        for number in reversed(range(1, len(activations))):
            layer = self._net.layers[number]
            steps = activation_backward(steps, activations[number], kind)
            lower = layer[:-1] @ steps
            layer[:-1] += np.outer(activations[number - 1], steps)
            layer[-1] += steps
            steps = lower
        self._net.layers[0][self._rows[state]] += activation_backward(steps, activations[0], kind)

    def _activated(self, sums: Array) -> Array:
        activate(sums, self._net.shape.activation, sums)
        return sums


class Optimizer(Protocol):
    def step(self, gradient: Array, learning_rate: float) -> Array:
        """What to add to the parameters; may be the gradient's own array, overwritten."""

    def arrays(self) -> dict[str, Array]:
        """The state to save and to restore in place."""


class Sgd:
    """Plain gradient descent."""

    def step(self, gradient: Array, learning_rate: float) -> Array:
        gradient *= gradient.dtype.type(-learning_rate)
        return gradient

    def arrays(self) -> dict[str, Array]:
        return {}


class Adam:
    """Kingma and Ba (2015). The moments are stored without their factors (1 - beta), which are
    folded into two scalars together with the bias corrections: fewer passes, the same steps."""

    FIRST, SECOND = 0.9, 0.999

    def __init__(self, parameters: Array, epsilon: float) -> None:
        self.count = np.array(0, np.int64)
        self.first = np.zeros_like(parameters)
        self.second = np.zeros_like(parameters)
        self._scratch = np.zeros_like(parameters)
        self._epsilon = epsilon

    def step(self, gradient: Array, learning_rate: float) -> Array:
        first, second, scratch, real = self.first, self.second, self._scratch, gradient.dtype.type
        self.count += 1
        mean = (1 - self.FIRST) / (1 - self.FIRST**self.count)
        deviation = math.sqrt((1 - self.SECOND) / (1 - self.SECOND**self.count))
        first *= real(self.FIRST)
        first += gradient
        second *= real(self.SECOND)
        second += np.multiply(gradient, gradient, out=scratch)
        np.sqrt(second, out=scratch)
        scratch += real(self._epsilon / deviation)
        np.divide(first, scratch, out=scratch)
        scratch *= real(-learning_rate * mean / deviation)
        return scratch

    def arrays(self) -> dict[str, Array]:
        return {"count": self.count, "first": self.first, "second": self.second}
