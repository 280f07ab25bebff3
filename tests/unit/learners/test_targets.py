"""Targets computed by hand."""

import numpy as np

from selfmate.learners.targets import bootstrapped, double_q, of_taken


def test_a_game_that_goes_on_is_worth_its_reward_and_what_follows() -> None:
    rewards = np.array([0.0, 1.0, -1.0])
    goes_on = np.array([1.0, 0.0, 0.0])
    next_values = np.array([0.5, 99.0, 99.0])  # after the end nothing counts
    np.testing.assert_allclose(
        bootstrapped(rewards, goes_on, next_values, gamma=0.8), [0.4, 1.0, -1.0]
    )


def test_sarsa_values_the_action_that_will_be_played() -> None:
    values = np.array([[0.1, 0.9], [0.3, 0.2]])
    np.testing.assert_allclose(of_taken(values, np.array([0, 1])), [0.1, 0.2])


def test_double_q_chooses_with_one_net_and_values_with_the_other() -> None:
    online = np.array([[0.2, 0.9, -np.inf], [-np.inf, 0.1, 0.3]])
    target = np.array([[5.0, 0.4, 9.0], [7.0, 8.0, -0.5]])
    np.testing.assert_allclose(double_q(online, target), [0.4, -0.5])
