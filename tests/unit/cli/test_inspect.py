"""`selfmate inspect` on a run of the chess DQN: replay buffer, times, notes, checkpoints."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from selfmate.cli.inspect import replay_of, survey
from selfmate.runs import checkpoint
from selfmate.runs.card import Card, FileNote
from selfmate.runs.checkpoint import unpack
from selfmate.runs.directory import RunDirectory
from selfmate.runs.run import Arrays
from unit.cli.process import selfmate

SETS = ("checkpoint_every=1", "cycles=4", "replay_size=4000", "promotion=interval")
TINY = ("train", "dqn", "--preset", "try", *(f"--set={text}" for text in SETS), "--run", "r")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dqn")
    done = selfmate(*TINY, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(selfmate("inspect", "r", "--json", cwd=folder).stdout)
    return found


def test_the_replay_of_the_newest_checkpoint_is_analysed(report: dict[str, Any]) -> None:
    replay = report["replay"]
    assert (replay["step"], replay["experiences"]) == (4, report["last"]["replay_size"])
    assert replay["experiences"] == sum(page["experiences"] for page in replay["pages"])
    assert [page["name"] for page in replay["pages"]][-1] == "games-00000004"


def test_notes_and_times_are_reported(report: dict[str, Any], folder: Path) -> None:
    assert report["notes"] == list(RunDirectory(folder / "r").notes())
    assert report["notes"][0]["step"] == 1
    assert {"self_play", "forward", "evaluation"} <= report["shares"].keys()
    assert 0 < sum(report["shares"].values()) <= 1


def test_the_last_game_is_reported(report: dict[str, Any], folder: Path) -> None:
    assert report["sample"] == list(RunDirectory(folder / "r").samples())[-1]
    assert report["sample"]["step"] == 4
    shown = " ".join(selfmate("inspect", "r", cwd=folder).stdout.split())
    assert f"last game step 4: {report['sample']['white']} - " in shown


def test_sizes_count_shared_shards_once(report: dict[str, Any], folder: Path) -> None:
    stored = sum(path.stat().st_size for path in (folder / "r").rglob("*.safetensors"))
    assert report["bytes"] == stored
    newest = report["checkpoints"][-1]
    noted = json.loads((folder / "r" / "checkpoints" / "00000004" / "card.json").read_text())
    assert newest["page_bytes"] == sum(page["bytes"] for page in noted["pages"])


def test_it_fits_into_80_columns_and_the_key_metrics_come_first(folder: Path) -> None:
    shown = selfmate("inspect", "r", cwd=folder).stdout
    assert max(map(len, shown.splitlines())) <= 80
    words = " ".join(shown.split())
    for text in ("where the time goes", "replay buffer of checkpoint 4", "notes 1 next-state"):
        assert text in words
    assert shown.index("score_teacher_depth_1") < shown.index("distinct_games")


def test_masks_and_target_updates_are_shown(folder: Path) -> None:
    words = " ".join(selfmate("inspect", "r", cwd=folder).stdout.split())
    for text in (
        "1 masking applied: ",
        "1 target net synchronized at update 5 (every 5 updates)",
        "that were not printed, the last: target net synchronized at update 20 (every 5 updates)",
    ):
        assert text in words


@pytest.mark.parametrize(
    "training",
    [
        ("reinforce", "--preset", "try", "--set", "replay_iterations=2"),
        ("alphazero", "--preset", "try"),
    ],
)
def test_shards_of_other_learners_are_not_taken_for_transitions(
    training: tuple[str, ...], tmp_path: Path
) -> None:
    train = ("train", *training, "--minutes", "1e-9", "--run", "r")
    assert selfmate(*train, cwd=tmp_path).returncode == 0
    shown = selfmate("inspect", "r", "--json", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    report = json.loads(shown.stdout)
    assert report["replay"] is None
    assert report["checkpoints"][-1]["page_bytes"] > 0


def test_a_shared_shard_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(path: Path, note: FileNote) -> Arrays:
        read.append(note.sha256)
        return unpack(path, note)

    monkeypatch.setattr(checkpoint, "unpack", noted)
    run = RunDirectory(folder / "r")
    cards = [card for card in run.checkpoints().values() if isinstance(card, Card)]
    needed = [note.sha256 for card in cards for note in card.shards.values()]
    survey(run)
    shards_read = [sha256 for sha256 in read if sha256 in needed]
    assert sorted(shards_read) == sorted(set(needed))
    assert len(needed) > len(shards_read)


def test_a_corrupt_shard_corrupts_all_checkpoints_that_need_it(
    folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder / "r", tmp_path / "r")
    run = RunDirectory(tmp_path / "r")
    note = run.checkpoint().card.shards["games-00000003"]
    path = tmp_path / "r" / "pages" / f"{note.sha256}.safetensors"
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    surveyed = survey(run)
    damage = {entry["step"]: entry["damage"] for entry in surveyed.checkpoints}
    assert [step for step, reason in damage.items() if reason] == [3, 4]
    assert note.sha256 in damage[4]
    assert surveyed.newest is not None
    replay = replay_of(surveyed.newest)
    assert replay is not None
    names = [page["name"] for page in replay["pages"]]
    assert (replay["step"], names) == (2, ["games-00000001", "games-00000002"])
