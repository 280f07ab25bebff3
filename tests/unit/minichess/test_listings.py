"""The `paper` presets against the listings of the reference design, transcribed line by line."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.learners.config import read_config
from selfmate.learners.registry import LEARNERS
from selfmate.minichess.ddqn import Config as DdqnConfig
from selfmate.minichess.ddqn import Ddqn
from selfmate.minichess.learner import Agent
from selfmate.minichess.sarsa import Config as SarsaConfig
from selfmate.minichess.sarsa import Sarsa
from selfmate.minichess.simulation import Transitions
from selfmate_benchmarks.peers.minichess import ListedDdqn, sigmoid

Array = NDArray[Any]


class Listed:
    """The weights of listing 1, [outputs, inputs] as there."""

    def __init__(self, agent: Agent[Any]) -> None:
        first, last = (layer.astype(np.float64) for layer in agent.net.layers)
        self.w1, self.b1 = first[:-1].T.copy(), first[-1].copy()
        self.w2, self.b2 = last[:-1].T.copy(), last[-1].copy()

    def hidden(self, x: Array) -> Array:
        return sigmoid(self.w1 @ x + self.b1)

    def values(self, x: Array) -> Array:
        return sigmoid(self.w2 @ self.hidden(x) + self.b2)

    def learn(self, x: Array, action: int, reward: float, after: tuple[Array, int] | None) -> None:
        eta, gamma = 0.0035, 0.85
        values, x1 = self.values(x), self.hidden(x)
        error = reward - values[action]
        if after is not None:
            x_next, next_action = after
            error += gamma * self.values(x_next)[next_action]
            x1 = self.hidden(x_next)
        delta2 = values * (1 - values) * error
        delta1 = x1 * (1 - x1) * (self.w2.T @ delta2)
        self.w2[action] += eta * delta2[action] * x1
        self.w1[action] += eta * delta1[action] * x
        self.b2[action] += eta * delta2[action]
        self.b1[action] += eta * delta1[action]


def assert_same(agent: Agent[Any], listed: Listed) -> None:
    first, last = agent.net.layers
    for ours, theirs in (
        (first[:-1], listed.w1.T),
        (first[-1], listed.b1),
        (last[:-1], listed.w2.T),
        (last[-1], listed.b2),
    ):
        np.testing.assert_allclose(ours, theirs, atol=2e-6)


def test_sarsa_learns_as_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    config = read_config(LEARNERS["sarsa"], preset="paper")
    assert isinstance(config, SarsaConfig)
    agent = Sarsa(config)
    listed, vectors = Listed(agent), agent.game.vectors(np.float64)
    valued: list[int] = []
    played: list[Transitions] = []
    choose, play = agent.games.choose, agent.games.play

    def recording_choose(values: Array, epsilon: float, *, again: bool = False) -> Array:
        actions = choose(values, epsilon, again=again)
        if not again:
            valued.append(int(actions[0]))  # A' of the target; the played action is drawn again
        return actions

    def recording_play(actions: Array) -> Transitions:
        played.append(play(actions))
        return played[-1]

    monkeypatch.setattr(agent.games, "choose", recording_choose)
    monkeypatch.setattr(agent.games, "play", recording_play)
    redrawn = 0
    for _ in range(300):
        state, action = int(agent.games.states[0]), int(agent.chosen.actions[0])
        agent.play_and_learn()
        moves = played[-1]
        continues = bool(moves.continues[0])
        after = (vectors[moves.next_states[0]], valued[-1]) if continues else None
        listed.learn(vectors[state], action, float(moves.rewards[0]), after)
        redrawn += valued[-1] != agent.chosen.actions[0]
    assert redrawn
    assert_same(agent, listed)


def test_ddqn_learns_as_listed() -> None:
    config = read_config(LEARNERS["ddqn"], preset="paper", sets=["target_update_every=20"])
    assert isinstance(config, DdqnConfig)
    agent, listed = Ddqn(config), ListedDdqn()
    (w1, w2) = agent.net.layers
    listed.w1, listed.b1 = w1[:-1].T.astype(np.float64), w1[-1].astype(np.float64)
    listed.w2, listed.b2 = w2[:-1].T.astype(np.float64), w2[-1].astype(np.float64)
    listed.copy()
    vectors = agent.game.vectors(np.float64)
    while len(agent.replay) < config.learning_starts:
        agent.play_and_learn()
    for update in range(1, 101):
        same_rng = np.random.Generator(np.random.PCG64())
        same_rng.bit_generator.state = agent.rng.bit_generator.state
        moves = agent.replay.sample(same_rng, config.batch_size)
        agent.play_and_learn()
        x, x_next = vectors[moves.states].T, vectors[moves.next_states].T
        listed.update(x, moves.actions, moves.rewards, x_next, 1 - moves.continues)
        if update % config.target_update_every == 0:
            listed.copy()
    np.testing.assert_allclose(w1, np.vstack([listed.w1.T, listed.b1]), atol=2e-6)
    np.testing.assert_allclose(w2, np.vstack([listed.w2.T, listed.b2]), atol=2e-6)
    assert np.abs(w2[-1]).max() > 1e-4
