"""Trackers get every step once, also of runs that were resumed."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from selfmate.cli.tracking import Tracker, TrackioSink, make_sink
from selfmate.runs import Progress, RunDirectory
from selfmate.runs.session import Session
from unit.runs.toy import run_toy, stop_at

TESTS = Path(__file__).parents[2]


class ListSink:
    """The ten lines of docs/how-to/track.md."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, dict[str, float]]] = []
        self.is_closed = False

    def restart(self) -> None:
        self.lines.clear()

    def log(self, step: int, metrics: Mapping[str, float], when: float) -> None:
        assert when > 1.7e9
        self.lines.append((step, dict(metrics)))

    def close(self) -> None:
        self.is_closed = True


def recorded(directory: Path) -> list[list[float]]:
    return [
        [line["step"], line["level"], line["seen"]] for line in RunDirectory(directory).metrics()
    ]


def test_a_sink_gets_every_step_once_in_every_session(tmp_path: Path) -> None:
    for last in (4, 8, 99):
        sink = ListSink()
        tracker = Tracker(tmp_path, sink)
        run_toy(tmp_path, Session(resume=True, watch=tracker), before=stop_at(last))
        tracker.close()
        assert sink.is_closed
        found = [[step, metrics["level"], metrics["seen"]] for step, metrics in sink.lines]
        assert found == recorded(tmp_path)


def test_after_a_rollback_all_steps_follow_again(tmp_path: Path) -> None:
    run_toy(tmp_path, Session())
    sink = ListSink()
    tracker, count = Tracker(tmp_path, sink), len(recorded(tmp_path))
    for step in (count, count - 1):
        tracker(
            Progress(
                step=step, done=step, total=99, unit="episodes", metrics={}, rate=1, seconds_left=1
            )
        )
        assert len(sink.lines) == count


def test_trackio_keeps_every_step_once(tmp_path: Path) -> None:
    """In a process of its own: trackio reads where its files are when it is imported."""
    environment = {
        **os.environ,
        "TRACKIO_DIR": str(tmp_path / "trackio"),
        "PYTHONPATH": str(TESTS),
        "HF_HUB_OFFLINE": "1",
    }
    script, kept = TESTS / "unit" / "cli" / "tracked_toy.py", tmp_path / "kept.json"
    command = [sys.executable, str(script), str(tmp_path / "toy"), str(kept)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Trackio" not in done.stdout  # where `selfmate train --json` prints
    assert json.loads(kept.read_text()) == recorded(tmp_path / "toy")


def test_without_trackio_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "trackio", None)
    with pytest.raises(ValueError, match=r"pip install 'selfmate\[trackio\]'"):
        TrackioSink(tmp_path)


def test_an_unknown_tracker_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--track 'wandb' is none of tensorboard, trackio"):
        make_sink("wandb", tmp_path)


def test_metrics_as_a_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_toy(tmp_path, Session())
    run = RunDirectory(tmp_path)
    frame = run.frame()
    assert frame.index.name == "step"
    assert frame["level"].tolist() == run.columns()["level"].tolist()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ValueError, match="a frame needs pandas"):
        run.frame()
