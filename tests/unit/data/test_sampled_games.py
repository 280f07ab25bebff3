"""Sampled games as arrays, and what is refused."""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from selfmate.data.trajectories import SampledGames
from selfmate.learners.reinforce.learner import SamplingActor, sampled_games
from selfmate.nets.config import MoveScorerConfig
from selfmate.rules import Board
from selfmate.selfplay.games import GamePlan, play_games


@pytest.fixture(scope="module")
def arrays() -> dict[str, NDArray[Any]]:
    torch.manual_seed(1)
    spec = MoveScorerConfig(encoding="counts", hidden=(8,), value_head=False)
    actor = SamplingActor(spec=spec, net=spec.make_net(), temperature=1.0)
    plan = GamePlan(boards=[Board(), Board()], max_plies=5, seed=1)
    return sampled_games(play_games([actor], plan), 1.0).arrays()


def test_arrays_make_the_games_again(arrays: dict[str, NDArray[Any]]) -> None:
    again = SampledGames.from_arrays(arrays)
    assert len(again) == 10
    for name, array in again.arrays().items():
        np.testing.assert_array_equal(array, arrays[name])


@pytest.mark.parametrize(
    "name", ["games", "chosen", "position_columns", "move_columns", "legal_counts", "is_cut"]
)
def test_arrays_that_do_not_match_are_refused(arrays: dict[str, NDArray[Any]], name: str) -> None:
    with pytest.raises(ValueError, match="not of matching lengths"):
        SampledGames.from_arrays(arrays | {name: arrays[name][:-1]})


def test_moves_and_games_that_do_not_exist_are_refused(arrays: dict[str, NDArray[Any]]) -> None:
    for name in ("chosen", "games"):
        with pytest.raises(ValueError, match="name a move or a game that does not exist"):
            SampledGames.from_arrays(arrays | {name: arrays[name] + 200})
    with pytest.raises(ValueError, match=r"the arrays are \["):
        SampledGames.from_arrays({})
