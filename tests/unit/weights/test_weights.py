"""Models that ship are what their cards say."""

import shutil
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from selfmate.players import PlayerName, load_player
from selfmate.players.trained import find_net
from selfmate.rules import Board
from selfmate.runs import RunDirectory, pack
from selfmate.weights import STRONGEST, model_names, strongest, weights_path
from selfmate.weights.card import Rating, read_card
from ship import Provenance, ship
from unit.players.trained_runs import make_tree_run


@pytest.mark.parametrize("name", model_names())
def test_weights_are_small_and_match_the_card(name: str) -> None:
    card, data = read_card(name), Path(weights_path(name)).read_bytes()
    assert (card.name, card.weights_bytes) == (name, len(data))
    assert card.weights_sha256 == sha256(data).hexdigest()
    assert len(data) <= 4_000_000
    assert card.commands
    assert all(rating.player.split(":")[0] == name for rating in card.ratings)


@pytest.mark.parametrize("name", model_names())
def test_cards_have_the_ratings_of_full_names(name: str) -> None:
    for rating in read_card(name).ratings:
        assert load_player(rating.player).name == rating.player


def test_the_strongest_is_the_one_with_the_highest_rating() -> None:
    elos = {name: read_card(name).elo for name in model_names()}
    assert strongest() == (max(elos, key=lambda name: elos[name]) if elos else None)
    assert STRONGEST in elos or not elos


def test_a_folder_with_card_and_weights_is_a_player_by_its_path(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    shutil.copytree(Path(weights_path(STRONGEST)).parent, folder)
    boards, seeds = [Board()], np.zeros(1, np.uint64)
    here, there = load_player(f"{STRONGEST}:sims=4"), load_player(f"{folder}:sims=4")
    assert there.name == f"{folder}:sims=4"
    assert here.choose(boards, seeds).moves.tolist() == there.choose(boards, seeds).moves.tolist()
    (folder / "weights.safetensors").write_bytes(b"")
    with pytest.raises(ValueError, match="bytes"):
        load_player(str(folder))


def test_weights_in_16_bits_are_played_in_32(tmp_path: Path) -> None:
    make_tree_run(tmp_path / "run")
    run = RunDirectory(tmp_path / "run")
    found = run.checkpoint("last")
    provenance = Provenance(about="a", data="d", commands=("c",), ratings=(), half=True)
    name = str(tmp_path / "half")
    card = ship(run, "last", name, provenance)
    assert card.weights_bytes < 0.6 * len(pack(found.weights))
    played = find_net(PlayerName(name)).arrays
    assert all(array.dtype == np.float32 for array in played.values())
    assert all(np.allclose(played[n], array, 1e-3, 1e-7) for n, array in found.weights.items())


def test_a_card_of_version_0_1_is_read() -> None:
    rating = {"player": "x:sims=2", "elo": 1.0, "low": None, "high": 2.0, "games": 4}
    old = Rating.model_validate({**rating, "stockfish_scale": 1481.3})
    assert (old.player, old.scale) == ("x:sims=2", "scale of version 0.1")
    with pytest.raises(ValueError, match="scale"):
        Rating.model_validate(rating)
