"""What a tab sees of a run: the same for all, only what has come, and nothing that is void."""

import json
from collections.abc import Hashable
from pathlib import Path

import pytest

from selfmate.lab.errors import NotThereError
from selfmate.lab.runs_folder import RunsFolder
from selfmate.lab.shared_topics import SharedTopics
from selfmate.lab.train import run_feed
from selfmate.lab.train.curves import MOST_POINTS
from selfmate.lab.train.run_feed import RunFeed
from selfmate.lab.train.trainings import Trainings
from selfmate.runs import growing
from selfmate.runs.on_disk import Session, open_run
from unit.runs.toy import HEADER, PLAYER, POLICY, ToyState


@pytest.fixture(autouse=True)
def always_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_feed, "SECONDS_BETWEEN_LOOKS", 0)


@pytest.fixture
def feed(tmp_path: Path) -> RunFeed:
    return RunFeed(tmp_path / "toy", Trainings(RunsFolder(tmp_path)))


def train(path: Path, steps: int, *, until: int | None = None, sign: int = 1) -> None:
    """Goes on to `until`; `sign` makes what it writes different."""
    session = Session(resume=True, pause_after=float("inf") if until is None else until)
    with open_run(path, HEADER, POLICY, session) as run:
        for step in run.steps(ToyState(), total=steps, unit="games", player=PLAYER):
            step.say(f"note {step.number}", alarm=step.number == 2)
            step.record({"loss": sign * step.number, "score": 0.5}, step.number)


def test_a_run_as_it_goes_on(tmp_path: Path, feed: RunFeed) -> None:
    train(tmp_path / "toy", steps=6, until=4)
    first = feed.version()
    data = feed.data()
    assert (data["state"], data["done"], data["total"], data["step"]) == ("paused", 4, 6, 4)
    assert data["curves"]["x"] == [1, 2, 3, 4]
    assert data["curves"]["figures"]["loss"] == [1, 2, 3, 4]
    assert data["newest"] == {"loss": 4, "score": 0.5}
    assert data["notes"][0] == {"step": 4, "text": "note 4", "alarm": False}
    assert [note["alarm"] for note in data["notes"]] == [False, False, True, False]
    assert (data["best"], data["plays"]) == ({"step": 4, "score": 4}, "toy")
    assert data["config"] == HEADER.config
    assert feed.version() == first, "nothing has changed"
    train(tmp_path / "toy", steps=6)
    assert feed.version() != first
    assert feed.data()["state"] == "finished"
    assert feed.data()["curves"]["figures"]["loss"] == [1, 2, 3, 4, 5, 6]
    assert [step["done"] for step in feed.data()["steps"]] == [1, 2, 3, 4, 5, 6]
    json.dumps(feed.data(), allow_nan=False)


def test_what_was_cut_off_is_forgotten(tmp_path: Path, feed: RunFeed) -> None:
    """Also if as much, or more, was written anew before anybody looked."""
    train(tmp_path / "toy", steps=6, until=5)
    feed.version()
    (tmp_path / "toy").rename(tmp_path / "old")
    train(tmp_path / "toy", steps=6, until=6, sign=-1)
    feed.version()
    assert feed.data()["curves"]["figures"]["loss"] == [-1, -2, -3, -4, -5, -6]
    assert len(feed.data()["notes"]) == 6
    assert len(feed.data()["steps"]) == 6


def test_curves_stay_short(tmp_path: Path, feed: RunFeed) -> None:
    train(tmp_path / "toy", steps=2, until=1)
    lines = (f'{{"step": {n}, "games": {n}, "loss": {n}}}\n' for n in range(1, 5001))
    (tmp_path / "toy" / "metrics.jsonl").write_text("".join(lines))
    feed.version()
    curves = feed.data()["curves"]
    assert len(curves["x"]) <= MOST_POINTS
    assert (curves["x"][-1], feed.data()["newest"]["loss"]) == (5000, 5000)


def test_a_long_history_comes_in_parts(
    tmp_path: Path, feed: RunFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits until a gigabyte is read, and all of it is read in the end."""
    monkeypatch.setattr(growing, "MOST_BYTES", 1000)
    train(tmp_path / "toy", steps=2, until=1)
    lines = [f'{{"step": {n}, "games": {n}, "loss": {n}}}\n' for n in range(1, 201)]
    (tmp_path / "toy" / "metrics.jsonl").write_text("".join(lines))
    newest: list[float] = []
    seen: set[Hashable] = set()
    while (version := feed.version()) not in seen:
        seen.add(version)
        newest.append(feed.data()["newest"]["loss"])
    assert newest == sorted(newest)
    assert (newest[0] < 100, newest[-1]) == (True, 200)
    assert feed.data()["curves"]["x"] == list(range(1, 201))


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
        with pytest.raises(NotThereError):
            feeds.find(name)


def test_a_stranger_may_have_written_anything(tmp_path: Path, feed: RunFeed) -> None:
    train(tmp_path / "toy", steps=2, until=1)
    (tmp_path / "toy" / "metrics.jsonl").write_text('{"step": "x"}\n{"step": 1, "loss": 1e999}\n')
    (tmp_path / "toy" / "notes.jsonl").write_text('{"step": 1e9, "note": ["<script>"]}\n{}\n')
    (tmp_path / "toy" / "timings.jsonl").write_text('{"step": 1, "seconds": "long"}\n')
    feed.version()
    assert feed.data()["curves"]["x"] == []
    assert len(feed.data()["notes"]) == 2
    json.dumps(feed.data(), allow_nan=False)
