"""scripts/ship.py: a run's net becomes a player of the package, with a card that describes it."""

from pathlib import Path

import numpy as np
import pytest

from selfmate import weights
from selfmate.players import load_player
from selfmate.rules import Board
from selfmate.runs.directory import RunDirectory
from selfmate.weights.card import read_card
from ship import Provenance, ratings_of, ship
from unit.players.trained_runs import make_tree_run

REPORT = {
    "scale": "some scale",
    "ratings": {
        "small-one:sims=100": {"elo": 900.0, "low": 850.0, "high": None, "games": 300},
        "small-one:sims=0": {"elo": 500.0, "low": 450.0, "high": 540.0, "games": 300},
        "smaller:sims=0": {"elo": 100.0, "low": 50.0, "high": 140.0, "games": 300},
    },
}


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(weights, "FOLDER", str(tmp_path / "weights"))
    (tmp_path / "weights").mkdir()
    make_tree_run(tmp_path / "run")
    provenance = Provenance(
        about="a test", data="none", commands=("selfmate train alphazero",),
        ratings=ratings_of(REPORT, "small-one"), minutes_before=60.0,
    )  # fmt: skip
    ship(RunDirectory(tmp_path / "run"), "last", "small-one", provenance)
    return "small-one"


def test_it_is_found_and_plays_as_its_run_does(shipped: str, tmp_path: Path) -> None:
    assert weights.model_names() == [shipped]
    model, run = load_player(f"{shipped}:sims=10"), load_player(f"{tmp_path}/run:sims=10")
    assert model.name == "small-one:sims=10"
    boards, seeds = [Board()], np.zeros(1, np.uint64)
    assert model.choose(boards, seeds).moves.tolist() == run.choose(boards, seeds).moves.tolist()


def test_its_card_tells_how_strong_it_is(shipped: str) -> None:
    card = read_card(shipped)
    assert [(rating.player, rating.elo) for rating in card.ratings] == [
        ("small-one:sims=100", 900),
        ("small-one:sims=0", 500),
    ]
    assert (card.elo, card.ratings[0].scale) == (900, "some scale")
    assert 60 <= card.minutes < 61
    assert (card.learner, card.seed, card.player["kind"]) == ("alphazero", 1, "se_resnet")


@pytest.mark.parametrize("settings", ["version=3", "lookahead=1", "sims=x"])
def test_settings_it_does_not_have_are_refused(shipped: str, settings: str) -> None:
    with pytest.raises(ValueError, match=settings.split("=", maxsplit=1)[0]):
        load_player(f"{shipped}:{settings}")


def test_a_net_that_is_too_large_is_not_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ship.MAX_BYTES", 1000)
    make_tree_run(tmp_path / "run")
    provenance = Provenance(about="", data="", commands=(), ratings=())
    with pytest.raises(ValueError, match="more than 1,000"):
        ship(RunDirectory(tmp_path / "run"), "last", "large-one", provenance)
