"""The examples with MaskablePPO learn what they say, and run."""

from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples" / "maskable_ppo"

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")


def test_ppo_learns_to_mate_in_the_mini_chess(monkeypatch: pytest.MonkeyPatch) -> None:
    """At least 90 % of all games, evaluated exactly."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import ppo_minichess  # type: ignore[import-not-found]

    assert ppo_minichess.train(moves=100_000, enough_percent=90.0, seed=1) >= 90


def test_ppo_plays_chess(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import ppo_chess  # type: ignore[import-not-found]

    model = ppo_chess.train("random", moves=256, steps=16)
    assert 0 <= ppo_chess.score(model, "random", games=1) <= 1
