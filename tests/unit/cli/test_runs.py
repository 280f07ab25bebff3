"""`selfmate runs` and `selfmate inspect`: listing, showing and deleting runs."""

import json
from pathlib import Path

import numpy as np
import pytest

from selfmate.runs.card import Header
from selfmate.runs.run import RunFailedError, SampleGame, SavedState
from selfmate.runs.session import Session, open_run
from selfmate.runs.status import Lock
from unit.cli.process import selfmate
from unit.cli.toy_process import files_below, toy
from unit.runs.toy import POLICY, ToyState


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One finished run, one that failed, and a directory that is no run."""
    folder = tmp_path_factory.mktemp("lab")
    assert toy("train", "toy", "--preset", "try", cwd=folder).returncode == 0
    assert toy("train", "toy", "--set", "break_at=7", cwd=folder).returncode == 1
    (folder / "runs" / "notes").mkdir()
    return folder


def test_an_empty_list_is_explained(tmp_path: Path) -> None:
    listed = selfmate("runs", cwd=tmp_path)
    assert listed.returncode == 0
    assert "no runs in runs/ yet. Start one: selfmate train" in listed.stdout
    assert json.loads(selfmate("runs", "--json", cwd=tmp_path).stdout) == {"runs": []}


def test_runs_of_another_folder_are_listed(folder: Path, tmp_path: Path) -> None:
    listed = toy("runs", "--runs", str(folder / "runs"), "--json", cwd=tmp_path)
    names = [run["run"] for run in json.loads(listed.stdout)["runs"]]
    assert str(folder / "runs" / "toy-try-1") in names
    refused = selfmate("runs", "--runs", "nowhere", cwd=tmp_path)
    assert (refused.returncode, refused.stderr) == (2, "selfmate: there is no folder nowhere\n")


def test_runs_are_listed(folder: Path) -> None:
    failed, finished = json.loads(toy("runs", "--json", cwd=folder).stdout)["runs"]
    assert (finished["run"], finished["state"]) == ("runs/toy-try-1", "finished")
    assert (finished["done"], finished["total"], finished["unit"]) == (300, 300, "episodes")
    assert (failed["run"], failed["state"], failed["done"]) == ("runs/toy-default-1", "failed", 120)
    table = toy("runs", cwd=folder).stdout
    for text in ("runs/toy-default-1", "failed 6%", "finished", "moves", "ago"):
        assert text in table


def test_runs_of_unknown_learners_are_listed(folder: Path) -> None:
    assert "runs/toy-try-1" in selfmate("runs", cwd=folder).stdout
    assert "reward" in selfmate("inspect", "runs/toy-try-1", cwd=folder).stdout


def test_a_run_is_inspected(folder: Path) -> None:
    report = json.loads(toy("inspect", "runs/toy-try-1", "--json", cwd=folder).stdout)
    assert report["changed"] == {"checkpoint_every": 4, "episodes": 300, "stumble_at": 3}
    assert report["config"]["hidden"] == [4, 4]
    lines = (folder / "runs" / "toy-try-1" / "metrics.jsonl").read_text().splitlines()
    rewards = [json.loads(line)["reward"] for line in lines]
    assert report["figures"]["reward"] == {
        "last": rewards[-1],
        "recent_mean": pytest.approx(sum(rewards[-10:]) / 10),
        "least": min(rewards),
        "greatest": max(rewards),
    }
    assert (report["notes"], report["replay"], report["shares"]) == ([], None, {})
    newest = report["checkpoints"][-1]
    assert (newest["step"], newest["done"], newest["damage"]) == (15, 300, None)
    assert newest["weights"] == {"w": "float64 [4]"}
    assert newest["player"]["kind"] == "toy"


def test_inspect_shows_why_a_run_failed(folder: Path) -> None:
    shown = toy("inspect", "runs/toy-default-1", cwd=folder).stdout
    for text in (
        "failed: reward became nan in step 7",
        "break_at = 7",
        "best",
        "w float64 [4]",
    ):
        assert text in " ".join(shown.split())
    assert any("\u2801" <= letter <= "\u28ff" for letter in shown)


def test_corrupt_checkpoints_are_named(tmp_path: Path) -> None:
    toy("train", "toy", "--preset", "try", "--run", "r", cwd=tmp_path)
    path = tmp_path / "r" / "checkpoints" / "00000012" / "weights.safetensors"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    checkpoints = json.loads(toy("inspect", "r", "--json", cwd=tmp_path).stdout)["checkpoints"]
    damage = {entry["step"]: entry["damage"] for entry in checkpoints}
    assert damage[15] is None
    assert "weights.safetensors" in damage[12]
    assert "corrupt: weights.safetensors" in toy("inspect", "r", cwd=tmp_path).stdout


def test_a_run_is_deleted_only_after_confirmation(tmp_path: Path) -> None:
    toy("train", "toy", "--preset", "try", "--run", "runs/r", cwd=tmp_path)
    unsure = toy("runs", "delete", "runs/r", cwd=tmp_path)
    assert (unsure.returncode, "add --yes" in unsure.stderr) == (2, True)
    lock = Lock(tmp_path / "runs" / "r")
    written = toy("runs", "delete", "runs/r", "--yes", cwd=tmp_path)
    lock.release()
    assert written.returncode == 2
    assert "is being written by process" in written.stderr
    assert (tmp_path / "runs" / "r" / "config.toml").exists()
    assert toy("runs", "delete", "runs/r", "--yes", cwd=tmp_path).returncode == 0
    assert files_below(tmp_path) == {"runs"}


ERASE = "\x1b[2J\x9b1A\x07\u202e"  # clears the screen, goes up, rings the bell, turns text round


class HostileState(ToyState):
    def save(self) -> SavedState:
        array = np.zeros(1)
        return SavedState(weights={f"w{ERASE}": array}, rest={f"r{ERASE}": array}, facts={})


def train_hostile(directory: Path) -> None:
    """Every text that a run can hold has escape sequences; the run fails with such a message."""
    header = Header(f"toy{ERASE}", {f"key{ERASE}": f"value{ERASE}"})
    white, reason = f"white{ERASE}", f"reason{ERASE}"
    game = SampleGame(start="-", moves=(), result="*", reason=reason, white=white, black="toy")
    unit, player = f"games{ERASE}", {"kind": f"toy{ERASE}"}
    with open_run(directory, header, POLICY, Session(say=lambda _: None)) as run:
        for step in run.steps(HostileState(), total=9, unit=unit, player=player):
            step.say(f"note{ERASE}")
            step.show(game)
            step.record({f"metric{ERASE}": 1.0}, 1.0)
            if step.number == 3:
                raise RunFailedError(f"message{ERASE}")


def test_escape_sequences_of_a_strangers_run_are_shown_and_not_sent(tmp_path: Path) -> None:
    run = tmp_path / "runs" / f"r{ERASE}"
    with pytest.raises(RunFailedError):
        train_hostile(run)
    for words in (["inspect", str(run)], ["runs"], ["match", str(run), "random", "--games", "2"]):
        shown = selfmate(*words, cwd=tmp_path)
        text = shown.stdout + shown.stderr
        assert "Traceback" not in text
        assert r"\x1b[2J" in text
        assert not set(text) & set("\x1b\x9b\x07\u202e")


@pytest.mark.parametrize("verb", [["runs", "delete", "--yes"], ["inspect"]])
@pytest.mark.parametrize("name", ["none", "notes", "notes/file"])
def test_other_directories_are_refused(verb: list[str], name: str, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "file").write_text("mine")
    before = files_below(tmp_path)
    refused = selfmate(*verb, name, cwd=tmp_path)
    assert refused.returncode == 2
    assert f"{name} is not a run" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert files_below(tmp_path) == before
