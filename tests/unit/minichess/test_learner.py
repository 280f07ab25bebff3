"""What SARSA and Double DQN share, by hand."""

import numpy as np

from selfmate.minichess.learner import td_errors
from selfmate.minichess.simulation import Transitions


def test_td_errors() -> None:
    transitions = Transitions(
        states=np.array([3, 4]),
        actions=np.array([2, 0]),
        rewards=np.array([0.0, 1.0]),
        next_states=np.array([5, 0]),
        continues=np.array([1.0, 0.0]),
    )
    values = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    errors = td_errors(values, transitions, next_values=np.array([0.8, 0.9]), gamma=0.5)
    np.testing.assert_allclose(errors, [0.3 - 0.5 * 0.8, 0.4 - 1.0])  # the second game has ended
