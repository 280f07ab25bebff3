"""Runs are found by name, whatever else lies in the folder."""

import json
import os
import shutil
from pathlib import Path

import pytest

from selfmate.lab.errors import NotFoundError
from selfmate.lab.players import LabPlayers
from selfmate.lab.runs_folder import RunsFolder
from selfmate.runs.card import CONFIG, Header
from unit.lab.topic_data import data_of

NO_TEXT = os.fsdecode(b"caf\xe9")


def make_run(path: Path, learner: str = "toy") -> None:
    path.mkdir(parents=True, exist_ok=True)
    (path / CONFIG).write_bytes(Header(learner, {"seed": 1}).to_toml())


@pytest.fixture
def runs(tmp_path: Path) -> RunsFolder:
    make_run(tmp_path / "mine")
    return RunsFolder(tmp_path)


def names(runs: RunsFolder) -> list[str]:
    return [row["name"] for row in data_of(runs)]


def test_names_that_are_no_text_are_left_out(runs: RunsFolder) -> None:
    make_run(runs.path / NO_TEXT)
    assert names(runs) == ["mine"]
    told = [runs.version(), data_of(runs), [offer.title for offer in LabPlayers(runs).offers()]]
    assert json.dumps(told, ensure_ascii=False).encode()


@pytest.mark.parametrize("name", ["", ".", "..", "mine/", "a\0", NO_TEXT, "é" * 300])
def test_what_can_be_no_name_is_not_there(runs: RunsFolder, name: str) -> None:
    with pytest.raises(NotFoundError, match="there is no run"):
        runs.run(name)


def test_runs_come_and_go_and_are_other_ones_under_the_same_name(runs: RunsFolder) -> None:
    assert runs.run("mine").learner == "toy"
    shutil.rmtree(runs.path / "mine")
    assert names(runs) == []
    make_run(runs.path / "mine", "another")
    assert runs.run("mine").learner == "another"
    (runs.path / "no run").mkdir()
    (runs.path / "pool.jsonl").touch()
    assert names(runs) == ["mine"]
    assert names(RunsFolder(runs.path / "nowhere")) == []
    assert names(RunsFolder(runs.path / "pool.jsonl")) == []
