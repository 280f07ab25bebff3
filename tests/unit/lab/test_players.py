"""Players are known by their names in the lab, which lead to no file and no program."""

from pathlib import Path

import pytest

from selfmate.lab.errors import NotFoundError
from selfmate.lab.runs_folder import LabPlayers, RunsFolder
from unit.players.trained_runs import make_tree_run
from unit.runs.toy import run_toy


@pytest.fixture
def players(tmp_path: Path, no_flushing: None) -> LabPlayers:
    run_toy(tmp_path / "runs" / "mine")
    run_toy(tmp_path / "secret")
    return LabPlayers(RunsFolder(tmp_path / "runs"))


@pytest.fixture
def no_flushing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


@pytest.mark.parametrize(
    "name",
    [
        "uci:path=/bin/sh",
        "uci:/bin/sh",
        "UCI:path=/bin/sh",
        "stockfish:path=/bin/sh",
        "random:path=/bin/sh",
        "/etc/passwd",
        "./runs/mine",
        "../secret",
        "mine",
        "runs",
        "runs/",
        "runs/.",
        "runs/..",
        "runs/../secret",
        "runs/mine/../../secret",
        "runs/mine/",
        "runs//etc/passwd",
        "runs/mine/checkpoints",
        "runs/mine\0",
        "runs/no-such",
        "",
        "\n",
        "x" * 100_000,
    ],
    ids=lambda name: repr(name[:30]),
)
def test_no_name_leads_elsewhere(players: LabPlayers, name: str) -> None:
    with pytest.raises((ValueError, NotFoundError)) as refused:
        players.load(name)
    assert len(str(refused.value)) < 1000


def test_nothing_is_said_of_where_the_runs_are(players: LabPlayers, tmp_path: Path) -> None:
    for name in ("runs/mine", "runs/mine:version=99", "runs/mine:speed=9"):
        with pytest.raises(ValueError, match="runs/mine") as refused:
            players.load(name)
        assert str(tmp_path) not in str(refused.value)


def test_a_net_that_searches_is_offered_in_strengths_that_play(tmp_path: Path) -> None:
    make_tree_run(tmp_path / "runs" / "deep")
    players = LabPlayers(RunsFolder(tmp_path / "runs"))
    offer = next(players.offers())
    names = [strength.name for strength in offer.strengths]
    assert {"runs/deep:sims=0", "runs/deep:sims=200", "runs/deep:by=value"} <= set(names)
    for name in names:
        full = players.shown(players.load(name).name)
        assert name.partition(":")[2].partition(",")[0] in full or "version=best" in name


def test_names_inside_and_outside_the_lab(players: LabPlayers, tmp_path: Path) -> None:
    full = f"{tmp_path}/runs/mine:temperature=0.5"
    assert players.resolve("runs/mine:temperature=0.5") == full
    assert players.shown(full) == "runs/mine:temperature=0.5"
    assert players.shown("teacher:depth=1") == players.resolve("teacher:depth=1")
