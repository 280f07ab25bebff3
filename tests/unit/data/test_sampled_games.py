"""What is refused as sampled games."""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from selfmate.arena.sampling import Plan, sample_games
from selfmate.data.sampled_games import SampledGames
from selfmate.players.scorer_player import ScorerSpec
from selfmate.rules import Board


@pytest.fixture(scope="module")
def arrays() -> dict[str, NDArray[Any]]:
    torch.manual_seed(1)
    spec = ScorerSpec(encoding="counts", hidden=(8,), value_head=False)
    plan = Plan(boards=[Board(), Board()], temperature=1.0, max_plies=5, seed=1)
    return sample_games(spec, spec.make_net(), plan).arrays()


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


def test_moves_and_games_that_are_not_there_are_refused(arrays: dict[str, NDArray[Any]]) -> None:
    for name in ("chosen", "games"):
        with pytest.raises(ValueError, match="hold a move or a game that is not there"):
            SampledGames.from_arrays(arrays | {name: arrays[name] + 200})
    with pytest.raises(ValueError, match=r"the arrays are \["):
        SampledGames.from_arrays({})
