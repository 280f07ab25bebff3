"""Optimizers against their papers' formulas, step by step."""

import numpy as np
import pytest

from selfmate.endgame.optimizers import Adam, Sgd


def test_sgd_goes_straight_down() -> None:
    np.testing.assert_allclose(Sgd().step(np.array([2.0, -4.0]), 0.5), [-1.0, 2.0])


@pytest.mark.parametrize("epsilon", [1e-8, 1e-3])
def test_adam_is_kingma_and_ba(epsilon: float) -> None:
    dice = np.random.default_rng(1)
    adam = Adam(np.zeros(9), epsilon)
    first, second = np.zeros(9), np.zeros(9)
    for t in range(1, 200):
        gradient = dice.normal(size=9)
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        corrected = first / (1 - 0.9**t), second / (1 - 0.999**t)
        expected = -0.01 * corrected[0] / (np.sqrt(corrected[1]) + epsilon)
        np.testing.assert_allclose(adam.step(gradient, 0.01), expected, rtol=1e-9)
