"""The learners in NumPy against the listings in C++: the same games, and the same weights."""

from collections.abc import Sequence

import numpy as np
import pytest

from selfmate.learners.config import read_config
from selfmate.learners.registry import LEARNERS
from selfmate.minichess.ddqn import Config as DdqnConfig
from selfmate.minichess.ddqn import Ddqn
from selfmate.minichess.learner import MiniChessConfig
from selfmate.minichess.sarsa import Config as SarsaConfig
from selfmate.minichess.sarsa import Sarsa
from selfmate_benchmarks.peers.listings import has_compiler, train

GAMES = 100
NO_QUIRKS = tuple(
    f"quirk_{name}=false" for name in ("redraw", "next_hidden", "all_outputs", "one_row")
)


def config_of(learner: str, sets: Sequence[str]) -> MiniChessConfig:
    config = read_config(LEARNERS[learner], preset="paper", seed=5, sets=sets)
    assert isinstance(config, MiniChessConfig)
    return config


def agent_of(config: MiniChessConfig) -> Sarsa | Ddqn:
    if isinstance(config, DdqnConfig):
        return Ddqn(config)
    assert isinstance(config, SarsaConfig)
    return Sarsa(config)


@pytest.mark.skipif(not has_compiler(), reason="no C++ compiler")
@pytest.mark.parametrize(
    ("learner", "sets"),
    [
        ("sarsa", ()),
        ("sarsa", (*NO_QUIRKS, "draw_reward=0", "learning_rate=0.02", "weight_init=xavier")),
        ("sarsa", ("optimizer=adam", "beta=0.01")),
        ("sarsa", ("optimizer=adam", "quirk_one_row=false", "quirk_all_outputs=false")),
        ("ddqn", ("episodes=200",)),
        ("ddqn", ("learning_rate=0.1", "quirk_epsilon_stuck=false", "beta=0.01")),
        ("ddqn", ("replay_size=300", "batch_size=8", "target_update_every=50", "gamma=0.5")),
        ("ddqn", ("vectorized=false", "batch_size=8")),
    ],
)
def test_the_learners_do_what_the_listings_do(learner: str, sets: Sequence[str]) -> None:
    config = config_of(learner, sets)
    listed, agent = train(config, GAMES), agent_of(config)
    start = agent.net.parameters.copy()
    while agent.games.finished < GAMES:
        agent.play_and_learn()
    stats = agent.games.stats.take()
    assert listed.sums["moves"].sum() == pytest.approx(GAMES * stats["moves"])
    assert listed.sums["mates"].sum() == pytest.approx(stats["mate_percent"] * GAMES / 100)
    assert listed.sums["reward"].sum() == pytest.approx(GAMES * stats["reward"], abs=1e-3)
    assert np.abs(agent.net.parameters - start).max() > 0.01
    np.testing.assert_allclose(listed.agent.net.parameters, agent.net.parameters, atol=5e-4)


@pytest.mark.parametrize(
    ("learner", "sets", "message"),
    [
        ("sarsa", ("hidden=[20, 20]", *NO_QUIRKS), "one hidden layer"),
        ("sarsa", ("output=linear",), "output = sigmoid"),
        ("sarsa", ("optimizer=adam", *NO_QUIRKS), "Adam only with a quirk of the update"),
        ("ddqn", ("parallel_games=2",), "parallel_games = 1"),
        ("ddqn", ("quirk_max_of_all=false",), "quirk_max_of_all = True"),
    ],
)
def test_other_learners_are_refused(learner: str, sets: Sequence[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train(config_of(learner, sets), GAMES)
