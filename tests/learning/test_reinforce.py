"""Does REINFORCE learn to win from nothing but how games end? On mates in one, for either side."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from selfmate.learners.reinforce.config import Config
from selfmate.learners.reinforce.learner import Reinforce
from selfmate.nets.optim import one_thread
from selfmate.rules import Board
from selfmate.runs import RunDirectory
from unit.learners.reinforce_games import probability

WHITE_MATES = ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8")
BLACK_MATES = ("k2r4/8/8/8/8/8/5PPP/6K1 b - - 0 1", "d8d1")
ITERATIONS = 60


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"baseline": "value_head"},
        {"baseline": "moving_average", "entropy_bonus": 0.01},
        {"replay_iterations": 3, "updates": 2},
        {"encoding": "turned768"},
    ],
    ids=str,
)
def test_mates_in_one_are_learned(settings: dict[str, Any]) -> None:
    """Games without the mate are truncated after three plies: no reward says what was wrong."""
    config = Config.model_validate(
        {"max_plies": 3, "hidden": (32, 16), "learning_rate": 0.005, **settings}
    )
    learner = Reinforce(config)
    positions = (WHITE_MATES, BLACK_MATES)
    before = [probability(learner, fen, (), move) for fen, move in positions]
    assert max(before) < 0.1
    rng = np.random.default_rng(1)
    with one_thread():
        for number in range(ITERATIONS):
            boards = [Board(fen) for fen, _ in positions for _ in range(25)]
            games, _, _ = learner.play(boards, 1.2, rng)
            assert learner.learn(games, 1, rng) is not None
            learner.remember(f"games-{number}", games)
    after = [probability(learner, fen, (), move) for fen, move in positions]
    assert min(after) > 0.9


def test_two_thousand_games_do_not_grow_the_process(tmp_path: Path) -> None:
    """By the run's own metric. The first 500 games fill the pools of the allocators; if every game
    stayed in memory would take some 20 kB, all of them 30 MB."""
    settings = ("games=2000", "max_plies=24", "hidden=[32,16]", "evaluate_every=1000")
    command = ["train", "reinforce", "--run", str(tmp_path / "run"), "--json"]
    sets = [f"--set={setting}" for setting in settings]
    trained = subprocess.run(
        [sys.executable, "-m", "selfmate", *command, *sets],
        capture_output=True,
        text=True,
        check=False,
    )
    assert trained.returncode == 0, trained.stderr
    memory = [line["memory_mb"] for line in RunDirectory(tmp_path / "run").timings()]
    assert len(memory) == 40
    assert max(memory[10:]) - memory[9] < 20
