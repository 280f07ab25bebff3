"""Players by name: built-in kinds, shipped models, other packages and run directories."""

import importlib.metadata
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType

import pytest

from selfmate.players import (
    ENTRY_POINT_GROUP,
    PLAYERS,
    Player,
    PlayerName,
    check_name,
    check_settings,
    is_plugin,
    load_player,
    parse_name,
    parse_run_name,
)
from selfmate.players.baseline import OnePlyPlayer
from selfmate.searches.sampling import random_choices
from selfmate.uci.options import Capabilities, capabilities_of
from selfmate.weights import model_names
from unit.players.trained_runs import make_run


def make_coin(name: PlayerName) -> Player:
    """The factory of another package."""
    check_settings(name, ("side",))
    return OnePlyPlayer(str(name), random_choices)


@pytest.fixture
def other_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution with players: a good one, two that cannot be imported, and two whose names
    are taken."""
    module = ModuleType("other_package")
    module.make_coin = make_coin  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "other_package", module)
    values = {
        "coin": "other_package:make_coin",
        "gone": "package_that_is_not_there:make",
        "empty": "other_package:make_nothing",
        "random": "other_package:make_coin",
        model_names()[0]: "other_package:make_coin",
    }
    points = [EntryPoint(name, value, ENTRY_POINT_GROUP) for name, value in values.items()]

    def entry_points(*, group: str) -> EntryPoints:
        assert group == "selfmate.players"
        return EntryPoints(points)

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)


@pytest.fixture
def no_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    def entry_points(*, group: str) -> EntryPoints:
        raise AssertionError("entry points are searched, which takes long")

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)


@pytest.mark.usefixtures("other_package")
def test_another_package_adds_a_player() -> None:
    assert check_name("coin:side=heads") == PlayerName("coin", {"side": "heads"})
    assert load_player("coin:side=heads").name == "coin:side=heads"
    assert load_player("coin").name == "coin"
    with pytest.raises(ValueError, match="player 'coin' has no setting 'edge'; it has side"):
        load_player("coin:edge=1")


@pytest.mark.usefixtures("other_package")
def test_another_package_cannot_replace_our_players() -> None:
    assert load_player("random").name == "random"
    name = f"{model_names()[0]}:temperature=0.5"
    assert load_player(name).name != name, "the full name of a net has more settings"


@pytest.mark.usefixtures("other_package")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone", "player 'gone' cannot be loaded from 'package_that_is_not_there:make': No module"),
        ("empty", "player 'empty' cannot be loaded from 'other_package:make_nothing': module"),
    ],
)
def test_a_player_that_cannot_be_imported_is_an_error(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_player(name)


@pytest.mark.usefixtures("other_package")
def test_an_unknown_name_lists_all_players() -> None:
    with pytest.raises(ValueError, match="no player 'nobody'; there are: random, ") as raised:
        check_name("nobody")
    for kind in (*PLAYERS, *model_names(), "coin"):
        assert f"{kind}, " in str(raised.value)
    assert str(raised.value).endswith(", or the path of a run")


@pytest.mark.usefixtures("other_package")
def test_entry_points_come_before_run_directories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_run(tmp_path / "coin")
    make_run(tmp_path / "dqn-1")
    assert load_player("coin").name == "coin"
    assert load_player("./coin").name == "./coin:version=3,terminal=exact"
    assert load_player("dqn-1").name == "./dqn-1:version=3,terminal=exact"


@pytest.mark.usefixtures("other_package")
def test_uci_offers_no_options_of_players_it_does_not_know() -> None:
    assert is_plugin("coin")
    assert capabilities_of(parse_name("coin:temperature=99")) == Capabilities()


@pytest.mark.usefixtures("no_entry_points")
@pytest.mark.parametrize("name", ["random", "teacher:depth=2", f"{model_names()[0]}:sims=9"])
def test_our_own_names_are_checked_without_searching_packages(name: str) -> None:
    assert str(check_name(name)) == name
    capabilities_of(check_name(name))


@pytest.mark.usefixtures("no_entry_points")
def test_paths_are_checked_without_searching_packages(tmp_path: Path) -> None:
    assert check_name(f"{tmp_path}:sims=9") == PlayerName(str(tmp_path), {"sims": "9"})
    with pytest.raises(ValueError, match="there is no directory 'no/run'; a run as a player is"):
        check_name("no/run")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "bad player '': a player is NAME or NAME:key=value,key=value"),
        ("teacher:", "bad player 'teacher:'"),
        ("teacher:depth", "bad setting 'depth' of player 'teacher:depth': it must be key=value"),
        ("teacher:=2", "bad setting '=2'"),
        ("teacher:depth=2,depth=3", "setting 'depth' of player .* is given twice"),
    ],
)
def test_bad_names_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_name(text)


def test_paths_may_contain_colons(tmp_path: Path) -> None:
    path = tmp_path / "a:b=c"
    path.mkdir()
    assert parse_run_name(str(path)) == PlayerName(str(path))
    assert parse_run_name(f"{path}:version=2") == PlayerName(str(path), {"version": "2"})
