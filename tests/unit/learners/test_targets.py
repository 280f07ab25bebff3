"""Targets computed by hand."""

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.learners.targets import (
    advantages,
    bootstrapped,
    double_q,
    of_taken,
    ragged_double_q,
    shaped,
)


def test_a_game_that_continues_is_worth_its_reward_and_what_follows() -> None:
    rewards = np.array([0.0, 1.0, -1.0])
    continues = np.array([1.0, 0.0, 0.0])
    next_values = np.array([0.5, 99.0, 99.0])  # after the end nothing counts
    np.testing.assert_allclose(
        bootstrapped(rewards, continues, next_values, gamma=0.8), [0.4, 1.0, -1.0]
    )


def test_sarsa_values_the_action_that_will_be_played() -> None:
    values = np.array([[0.1, 0.9], [0.3, 0.2]])
    np.testing.assert_allclose(of_taken(values, np.array([0, 1])), [0.1, 0.2])


def test_double_q_chooses_with_one_net_and_values_with_the_other() -> None:
    online = np.array([[0.2, 0.9, -np.inf], [-np.inf, 0.1, 0.3]])
    target = np.array([[5.0, 0.4, 9.0], [7.0, 8.0, -0.5]])
    np.testing.assert_allclose(double_q(online, target), [0.4, -0.5])


def test_ragged_double_q_is_the_same_over_legal_actions() -> None:
    online = np.array([0.2, 0.9, 0.1, 0.3, -5.0])
    target = np.array([5.0, 0.4, 8.0, -0.5, 9.0])
    offsets = np.array([0, 2, 5])
    np.testing.assert_allclose(ragged_double_q(online, target, offsets), [0.4, -0.5])
    np.testing.assert_allclose(ragged_double_q(target, target, offsets), [5.0, 9.0])


def test_shaping_by_hand() -> None:
    """One ply: r - weight * (gamma there + here). Over: r - weight * here. Two plies of the same
    mover: r + weight * (gamma there - here)."""
    returns, here = np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.9, 0.2])
    discounts, there = np.array([-0.8, 0.0, 0.8]), np.array([-0.6, 0.0, 0.4])
    found = shaped(returns, discounts, here, there, weight=0.5)
    expected = [-0.5 * (0.8 * -0.6 + 0.5), 1 - 0.5 * 0.9, 0.5 * (0.8 * 0.4 - 0.2)]
    np.testing.assert_allclose(found, expected)


def test_shaping_of_several_plies_is_the_sum_of_each() -> None:
    gamma, weight = 0.9, 0.3
    phi = np.array([0.4, -0.2, 0.7, 0.1])
    single = [-weight * (gamma * phi[k + 1] + phi[k]) for k in range(3)]
    summed = sum((-gamma) ** k * single[k] for k in range(3))
    together = shaped(np.zeros(1), np.array([(-gamma) ** 3]), phi[:1], phi[3:], weight)
    np.testing.assert_allclose(together, [summed])


def test_advantages_are_the_movers() -> None:
    """White won, Black won, a draw; a baseline says what White could expect."""
    results = np.array([1.0, 1.0, -1.0, -1.0, 0.0, 0.0])
    is_white = np.array([True, False] * 3)
    np.testing.assert_allclose(advantages(results, is_white, 0.0), [1, -1, -1, 1, 0, 0])
    found = advantages(results, is_white, np.array([0.5, 0.5, -0.5, -0.5, 0.25, 0.25]))
    np.testing.assert_allclose(found, [0.5, -0.5, -0.5, 0.5, -0.25, 0.25])


class TakeAway:
    """Take one, two or three; who takes the last has won. A small game that is solved."""

    def __init__(self, gamma: float, potentials: NDArray[np.float64], weight: float) -> None:
        self.gamma, self.potentials, self.weight = gamma, potentials, weight

    def learn(self, steps: int) -> dict[tuple[int, int], float]:
        """Tabular values by repeated backups over all moves, through the learner's own maths."""
        values = {(n, take): 0.0 for n in range(1, 13) for take in range(1, min(n, 3) + 1)}
        for _ in range(60):
            values = {(n, take): self._target(values, n, take, steps) for n, take in values}
        return values

    def _target(self, values: dict[tuple[int, int], float], n: int, take: int, steps: int) -> float:
        """After the first move the greedy ones are followed, as an n-step backup on policy is."""
        left, discount, returns = n - take, -self.gamma, float(n == take)
        for _ in range(steps - 1):
            if not left:
                break
            best = max((values[left, t], t) for t in range(1, min(left, 3) + 1))[1]
            returns += discount * float(left == best)
            discount, left = discount * -self.gamma, left - best
        discount = discount if left else 0.0
        rows = [values[left, t] for t in range(1, min(left, 3) + 1)] if left else [0.0]
        ahead = ragged_double_q(np.array(rows), np.array(rows), np.array([0, len(rows)]))
        reward = shaped(
            np.array([returns]),
            np.array([discount]),
            self.potentials[[n]],
            self.potentials[[left]] if left else np.zeros(1),
            self.weight,
        )
        return float((reward + discount * ahead)[0])


def true_value(n: int, gamma: float) -> float:
    """For who is to move with n left: winners hurry, losers delay."""
    if n == 0:
        return -1 / gamma  # so that taking the last is worth 1
    return max(-gamma * true_value(n - take, gamma) for take in range(1, min(n, 3) + 1))


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_tabular_negamax_converges_to_the_true_values(steps: int) -> None:
    gamma = 0.9
    learned = TakeAway(gamma, np.zeros(13), 0.0).learn(steps)
    for (n, take), value in learned.items():
        assert value == pytest.approx(-gamma * true_value(n - take, gamma))
    assert learned[3, 3] == 1  # the last is taken
    assert max(learned[4, take] for take in (1, 2, 3)) == pytest.approx(-gamma)  # lost
    assert learned[5, 1] == pytest.approx(gamma**2)  # won in two


@pytest.mark.parametrize("weight", [0.3, 1.0])
@pytest.mark.parametrize("steps", [1, 2])
def test_shaping_never_changes_the_best_move(weight: float, steps: int) -> None:
    """Every action of a position loses the same: the potential of the position."""
    gamma = 0.9
    potentials = np.random.default_rng(3).uniform(-1, 1, 13)
    plain = TakeAway(gamma, potentials, 0.0).learn(1)
    learned = TakeAway(gamma, potentials, weight).learn(steps)
    for (n, take), value in learned.items():
        assert value == pytest.approx(plain[n, take] - weight * potentials[n])
