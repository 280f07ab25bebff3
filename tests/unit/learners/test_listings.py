"""The `paper` presets against the seed's listings, written out once more line by line."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.bench.endgame_transcription import ListedDdqn, sigmoid
from selfmate.endgame.games import Moves
from selfmate.learners import LEARNERS
from selfmate.learners.config import read_config
from selfmate.learners.ddqn import Config as DdqnConfig
from selfmate.learners.ddqn import Ddqn
from selfmate.learners.minichess import Pupil
from selfmate.learners.sarsa import Config as SarsaConfig
from selfmate.learners.sarsa import Sarsa

Array = NDArray[Any]


class Listed:
    """Listing 1's weights, [outputs, inputs] as there."""

    def __init__(self, pupil: Pupil[Any]) -> None:
        first, last = (layer.astype(np.float64) for layer in pupil.net.layers)
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


def assert_same(pupil: Pupil[Any], listed: Listed) -> None:
    first, last = pupil.net.layers
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
    pupil = Sarsa(config)
    listed, vectors = Listed(pupil), pupil.game.vectors(np.float64)
    valued: list[int] = []
    played: list[Moves] = []
    choose, play = pupil.games.choose, pupil.games.play

    def noting(values: Array, epsilon: float, *, again: bool = False) -> Array:
        actions = choose(values, epsilon, again=again)
        if not again:
            valued.append(int(actions[0]))  # A' of the target; what is played is drawn again
        return actions

    def playing(actions: Array) -> Moves:
        played.append(play(actions))
        return played[-1]

    monkeypatch.setattr(pupil.games, "choose", noting)
    monkeypatch.setattr(pupil.games, "play", playing)
    redrawn = 0
    for _ in range(300):
        state, action = int(pupil.games.states[0]), int(pupil.chosen.actions[0])
        pupil.move()
        moves = played[-1]
        goes_on = bool(moves.goes_on[0])
        after = (vectors[moves.next_states[0]], valued[-1]) if goes_on else None
        listed.learn(vectors[state], action, float(moves.rewards[0]), after)
        redrawn += valued[-1] != pupil.chosen.actions[0]
    assert redrawn
    assert_same(pupil, listed)


def test_ddqn_learns_as_listed() -> None:
    config = read_config(LEARNERS["ddqn"], preset="paper", sets=["copy_every=20"])
    assert isinstance(config, DdqnConfig)
    pupil, listed = Ddqn(config), ListedDdqn()
    (w1, w2) = pupil.net.layers
    listed.w1, listed.b1 = w1[:-1].T.astype(np.float64), w1[-1].astype(np.float64)
    listed.w2, listed.b2 = w2[:-1].T.astype(np.float64), w2[-1].astype(np.float64)
    listed.copy()
    vectors = pupil.game.vectors(np.float64)
    while len(pupil.replay) < config.learning_starts:
        pupil.move()
    for update in range(1, 101):
        same_dice = np.random.Generator(np.random.PCG64())
        same_dice.bit_generator.state = pupil.dice.bit_generator.state
        moves = pupil.replay.sample(same_dice, config.batch)
        pupil.move()
        x, x_next = vectors[moves.states].T, vectors[moves.next_states].T
        listed.update(x, moves.actions, moves.rewards, x_next, 1 - moves.goes_on)
        if update % config.copy_every == 0:
            listed.copy()
    np.testing.assert_allclose(w1, np.vstack([listed.w1.T, listed.b1]), atol=2e-6)
    np.testing.assert_allclose(w2, np.vstack([listed.w2.T, listed.b2]), atol=2e-6)
    assert np.abs(w2[-1]).max() > 1e-4
