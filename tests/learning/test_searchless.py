"""Does the transformer learn the rules by trying? A real training, a minute long."""

import os
from pathlib import Path

import pytest

import selfmate


@pytest.mark.skipif("SELFMATE_SLOW" not in os.environ, reason="a minute; run by `make slow`")
def test_it_learns_which_moves_are_legal(tmp_path: Path) -> None:
    """An untrained net gives 1 to 2 % of its probability to legal moves; after 20 cycles it was
    71 %."""
    settings = {
        "width": 64,
        "blocks": 2,
        "heads": 4,
        "cycles": 20,
        "games": 32,
        "max_plies": 60,
        "learning_rate_decay": 1.0,
        "evaluate_every": 100,
        "evaluation_games": 2,
        "conversion_games": 2,
        "threads": 1,
    }
    run = selfmate.train(
        "searchless", preset="rules", settings=settings, seed=1, run=tmp_path / "run"
    )
    legal_mass = run.columns()["learned_legal_mass"]
    assert legal_mass[0] < 0.05
    assert legal_mass[-1] > 0.5
