"""Does AlphaZero learn to play? Real trainings of a sparse net; an untrained net fails the bars."""

import os
from pathlib import Path

import pytest

import selfmate


def score(player: str, opponent: str, games: int) -> float:
    return selfmate.play_match(player, opponent, games=games).score


def test_a_sparse_net_learns_from_the_teacher(tmp_path: Path) -> None:
    """Untrained it has 8 % of the points, after 65,536 positions 92 %."""
    run = tmp_path / "run"
    settings = {"positions": 65536, "threads": 1, "keep_last": 1000}
    selfmate.train("pretrain-alphazero", preset="swift", settings=settings, seed=1, run=run)
    assert score(f"{run}:version=0,sims=200", "teacher:depth=1", 20) < 0.3
    assert score(f"{run}:sims=200", "teacher:depth=1", 20) > 0.7


@pytest.mark.skipif("SELFMATE_SLOW" not in os.environ, reason="a minute; run by `make slow`")
def test_a_sparse_net_learns_from_its_own_games(tmp_path: Path) -> None:
    """From the rules alone. After six cycles it had 74 % against itself, untrained."""
    run = tmp_path / "run"
    settings = {
        "cycles": 6,
        "games": 256,
        "parallel_games": 256,
        "simulations": 48,
        "simulations_start": 48,
        "max_plies": 160,
        "max_updates": 0,
        "max_uses": 4,
        "evaluation_games": 2,
        "threads": 1,
        "keep_last": 1000,
    }
    selfmate.train("alphazero", preset="swift", settings=settings, seed=1, run=run)
    assert score(f"{run}:version=6,sims=100", f"{run}:version=0,sims=100", 100) > 0.6
    assert score(f"{run}:version=6,sims=400", "random", 20) > 0.95
