"""What a tab sees of a run: the same for all, only what has come, and nothing that is void."""

import json
from collections.abc import Hashable
from pathlib import Path

import pytest

from selfmate.lab import run_feed
from selfmate.lab.errors import NotFoundError
from selfmate.lab.run_feed import MAX_POINTS, RunFeed
from selfmate.lab.runs_folder import RunsFolder
from selfmate.lab.topics import SharedTopics
from selfmate.lab.trainings import Trainings
from selfmate.runs import metrics as growing
from selfmate.runs.session import Session, open_run
from unit.lab.topic_data import data_of
from unit.runs.toy import HEADER, PLAYER, POLICY, ToyState


@pytest.fixture(autouse=True)
def always_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_feed, "SECONDS_BETWEEN_LOOKS", 0)


@pytest.fixture
def feed(tmp_path: Path) -> RunFeed:
    return RunFeed(tmp_path / "toy", Trainings(RunsFolder(tmp_path)))


def train(path: Path, steps: int, *, until: int | None = None, sign: int = 1) -> None:
    """Resumes until `until`; `sign` makes the metrics different."""
    session = Session(resume=True, pause_after=float("inf") if until is None else until)
    with open_run(path, HEADER, POLICY, session) as run:
        for step in run.steps(ToyState(), total=steps, unit="games", player=PLAYER):
            step.say(f"note {step.number}", alarm=step.number == 2)
            step.record({"loss": sign * step.number, "score": 0.5}, step.number)


def test_a_run_while_it_grows(tmp_path: Path, feed: RunFeed) -> None:
    train(tmp_path / "toy", steps=6, until=4)
    first = feed.version()
    data = data_of(feed)
    assert (data["state"], data["done"], data["total"], data["step"]) == ("paused", 4, 6, 4)
    assert data["curves"]["x"] == [1, 2, 3, 4]
    assert data["curves"]["metrics"]["loss"] == [1, 2, 3, 4]
    assert data["newest"] == {"loss": 4, "score": 0.5}
    assert data["notes"][0] == {"step": 4, "text": "note 4", "alarm": False}
    assert [note["alarm"] for note in data["notes"]] == [False, False, True, False]
    assert (data["best"], data["plays"]) == ({"step": 4, "score": 4}, "toy")
    assert data["config"] == HEADER.config
    assert feed.version() == first, "nothing has changed"
    train(tmp_path / "toy", steps=6)
    assert feed.version() != first
    assert data_of(feed)["state"] == "finished"
    assert data_of(feed)["curves"]["metrics"]["loss"] == [1, 2, 3, 4, 5, 6]
    assert [step["done"] for step in data_of(feed)["steps"]] == [1, 2, 3, 4, 5, 6]
    json.dumps(data_of(feed), allow_nan=False)


def test_truncated_files_are_read_again(tmp_path: Path, feed: RunFeed) -> None:
    """Also if as much, or more, was written anew before anybody looked."""
    train(tmp_path / "toy", steps=6, until=5)
    feed.version()
    (tmp_path / "toy").rename(tmp_path / "old")
    train(tmp_path / "toy", steps=6, until=6, sign=-1)
    feed.version()
    assert data_of(feed)["curves"]["metrics"]["loss"] == [-1, -2, -3, -4, -5, -6]
    assert len(data_of(feed)["notes"]) == 6
    assert len(data_of(feed)["steps"]) == 6


def test_curves_stay_short(tmp_path: Path, feed: RunFeed) -> None:
    train(tmp_path / "toy", steps=2, until=1)
    lines = (f'{{"step": {n}, "games": {n}, "loss": {n}}}\n' for n in range(1, 5001))
    (tmp_path / "toy" / "metrics.jsonl").write_text("".join(lines))
    feed.version()
    curves = data_of(feed)["curves"]
    assert len(curves["x"]) <= MAX_POINTS
    assert (curves["x"][-1], data_of(feed)["newest"]["loss"]) == (5000, 5000)


def test_a_long_history_comes_in_parts(
    tmp_path: Path, feed: RunFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits until a gigabyte is read, and all of it is read in the end."""
    monkeypatch.setattr(growing, "MAX_READ_BYTES", 1000)
    train(tmp_path / "toy", steps=2, until=1)
    lines = [f'{{"step": {n}, "games": {n}, "loss": {n}}}\n' for n in range(1, 201)]
    (tmp_path / "toy" / "metrics.jsonl").write_text("".join(lines))
    newest: list[float] = []
    seen: set[Hashable] = set()
    while (version := feed.version()) not in seen:
        seen.add(version)
        newest.append(data_of(feed)["newest"]["loss"])
    assert newest == sorted(newest)
    assert (newest[0] < 100, newest[-1]) == (True, 200)
    assert data_of(feed)["curves"]["x"] == list(range(1, 201))


def test_tabs_share_a_feed_and_others_are_refused(tmp_path: Path) -> None:
    trainings = Trainings(RunsFolder(tmp_path))
    feeds = SharedTopics(lambda name: RunFeed(tmp_path / name, trainings), trainings.check)
    train(tmp_path / "toy", steps=2)
    one, other = feeds.find("toy"), feeds.find("toy")
    assert one is other
    assert one.version() == other.version()
    assert one.data() is other.data()
    (tmp_path / "empty").mkdir()
    for name in ("../toy", "", ".", "..", "toy/", "/etc", "empty", "x" * 500, "<b>"):
        with pytest.raises(NotFoundError):
            feeds.find(name)


def test_a_stranger_may_have_written_anything(tmp_path: Path, feed: RunFeed) -> None:
    train(tmp_path / "toy", steps=2, until=1)
    (tmp_path / "toy" / "metrics.jsonl").write_text('{"step": "x"}\n{"step": 1, "loss": 1e999}\n')
    (tmp_path / "toy" / "notes.jsonl").write_text('{"step": 1e9, "note": ["<script>"]}\n{}\n')
    (tmp_path / "toy" / "timings.jsonl").write_text('{"step": 1, "seconds": "long"}\n')
    feed.version()
    assert data_of(feed)["curves"]["x"] == []
    assert len(data_of(feed)["notes"]) == 2
    json.dumps(data_of(feed), allow_nan=False)
