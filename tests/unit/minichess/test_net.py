"""The hand-written net: gradients against finite differences, values against formulas, optimizers
against their papers."""

from itertools import product

import numpy as np
import pytest

from selfmate.minichess.game import compile_game
from selfmate.minichess.net import (
    Activation,
    Adam,
    Array,
    Net,
    OneSample,
    Sgd,
    Shape,
    as_inputs,
    initialise,
)

ACTIVATIONS: tuple[Activation, ...] = ("relu", "sigmoid")
OUTPUTS: tuple[Activation, ...] = ("linear", "sigmoid")


def make(
    hidden: tuple[int, ...], activation: Activation, output: Activation, seed: int = 1
) -> tuple[Net, Array, np.random.Generator]:
    shape = Shape(inputs=7, hidden=hidden, outputs=5, activation=activation, output=output)
    rng = np.random.default_rng(seed)
    net = Net(shape, np.float64)
    initialise(net, rng, "xavier")
    net.parameters += rng.normal(0, 0.1, net.parameters.shape)  # biases as well
    return net, as_inputs(rng.normal(size=(6, 7))), rng


@pytest.mark.parametrize(
    ("hidden", "activation", "output"),
    list(product([(4,), (6, 3), (5, 4, 3)], ACTIVATIONS, OUTPUTS)),
)
def test_gradients_match_finite_differences(
    hidden: tuple[int, ...], activation: Activation, output: Activation
) -> None:
    net, inputs, rng = make(hidden, activation, output)
    errors = rng.normal(size=(6, 5))
    gradient = net.backward(net.forward(inputs), errors).copy()
    numeric, tiny = np.zeros_like(gradient), 1e-6
    for i in range(len(gradient)):
        middle = net.parameters[i]
        net.parameters[i] = middle + tiny
        above = float((errors * net.values(inputs)).sum())
        net.parameters[i] = middle - tiny
        below = float((errors * net.values(inputs)).sum())
        net.parameters[i] = middle
        numeric[i] = (above - below) / (2 * tiny)
    scale = np.abs(numeric).max()
    assert np.abs(gradient - numeric).max() / scale < 1e-6


def test_values_match_the_formula() -> None:
    net, inputs, _ = make((4, 3), "relu", "sigmoid")
    x = inputs[:, :-1]
    for number, layer in enumerate(net.layers):
        x = x @ layer[:-1] + layer[-1]
        x = np.maximum(x, 0) if number < 2 else 1 / (1 + np.exp(-x))
    np.testing.assert_allclose(net.values(inputs), x, rtol=1e-12)


def test_a_batch_has_the_values_of_its_samples() -> None:
    net, inputs, _ = make((8,), "sigmoid", "linear")
    together = net.values(inputs).copy()
    for row in range(len(inputs)):
        np.testing.assert_allclose(net.values(inputs[row : row + 1])[0], together[row], rtol=1e-12)


@pytest.mark.parametrize(("how", "deviation"), [("xavier", 3**-0.5), ("listing", 1.0)])
def test_weight_initialisation(how: str, deviation: float) -> None:
    """Uniform within the bound, or normal with the bound as its deviation; biases zero."""
    shape = Shape(inputs=300, hidden=(200,), outputs=32, activation="relu", output="linear")
    net = Net(shape)
    initialise(net, np.random.default_rng(3), "xavier" if how == "xavier" else "listing")
    bound = (6 / 500) ** 0.5
    weights = net.layers[0][:-1]
    assert weights.std() == pytest.approx(bound * deviation, rel=0.02)
    assert (np.abs(weights).max() <= bound) == (how == "xavier")
    assert not net.layers[0][-1].any()


@pytest.mark.parametrize(
    ("hidden", "activation", "output"),
    list(product([(9,), (9, 6), (9, 6, 4)], ACTIVATIONS, OUTPUTS)),
)
def test_one_sample_learns_like_a_batch_of_one(
    hidden: tuple[int, ...], activation: Activation, output: Activation
) -> None:
    game = compile_game(4)
    shape = Shape(
        inputs=game.vector_length,
        hidden=hidden,
        outputs=game.actions,
        activation=activation,
        output=output,
    )
    alone, batch = Net(shape, np.float64), Net(shape, np.float64)
    for net in (alone, batch):
        initialise(net, np.random.default_rng(2), "xavier")
    inputs, one = as_inputs(game.vectors(np.float64)), OneSample(alone, game.features)
    for state, action, target in ((3, 5, 1.0), (400, 31, -1.0), (807, 0, 0.3)):
        activations = batch.forward(inputs[state : state + 1])
        errors = np.zeros_like(activations[-1])
        errors[0, action] = activations[-1][0, action] - target
        batch.parameters -= 0.5 * batch.backward(activations, errors)
        assert one.learn(state, action, target, 0.5) == pytest.approx(errors[0, action])
        np.testing.assert_allclose(alone.parameters, batch.parameters, rtol=1e-9, atol=1e-12)


def test_sgd_is_plain_gradient_descent() -> None:
    np.testing.assert_allclose(Sgd().step(np.array([2.0, -4.0]), 0.5), [-1.0, 2.0])


@pytest.mark.parametrize("epsilon", [1e-8, 1e-3])
def test_adam_is_kingma_and_ba(epsilon: float) -> None:
    rng = np.random.default_rng(1)
    adam = Adam(np.zeros(9), epsilon)
    first, second = np.zeros(9), np.zeros(9)
    for t in range(1, 200):
        gradient = rng.normal(size=9)
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        corrected = first / (1 - 0.9**t), second / (1 - 0.999**t)
        expected = -0.01 * corrected[0] / (np.sqrt(corrected[1]) + epsilon)
        np.testing.assert_allclose(adam.step(gradient, 0.01), expected, rtol=1e-9)
