"""SARSA and Double DQN learn: a third of the default training suffices to mate from every start."""

from pathlib import Path

import pytest

from selfmate.cli.endgame_play import load_trained_run
from selfmate.learners.config import read_config
from selfmate.learners.registry import LEARNERS
from selfmate.minichess.evaluation import evaluate_policy
from selfmate.minichess.solver import least_moves, worst_moves
from selfmate.runs.session import Session


@pytest.mark.parametrize(("name", "above_least"), [("ddqn", 1.05), ("sarsa", 1.15)])
def test_it_learns_to_mate(name: str, above_least: float, tmp_path: Path) -> None:
    learner = LEARNERS[name]
    config = read_config(learner, sets=["episodes=35000"])
    with learner.open_run(config, tmp_path / "run", Session()) as run:
        learner.train(config, run)
    trained = load_trained_run(tmp_path / "run")
    found = evaluate_policy(trained.game, trained.actions)
    game = trained.game
    least = game.start_probabilities @ least_moves(game, enough=worst_moves(game))
    assert found.mate_percent == pytest.approx(100)
    assert found.mean_moves is not None
    assert found.mean_moves < above_least * least
