"""The live view of a run: a panel in terminals, lines in log files."""

import io
import json
import os
import pty
import termios
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from selfmate.cli import train_view
from selfmate.cli.console import LOADING, time_left
from selfmate.cli.train_view import MetricHistory, TrainView
from selfmate.runs.activity import Activity
from selfmate.runs.status import Progress
from unit.cli.toy_process import toy
from unit.learners.toy import TOY


def progress(step: int, **metrics: float) -> Progress:
    return Progress(
        step=step,
        done=20 * step,
        total=300,
        unit="episodes",
        metrics=metrics,
        rate=1,
        seconds_left=1,
    )


def shown_in_terminal(*arguments: str, cwd: Path, size: tuple[int, int]) -> str:
    """Everything a command draws on a terminal of this size (lines, columns)."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, size)
    drawn = bytearray()

    def read() -> None:
        while True:
            try:
                drawn.extend(os.read(ours, 1 << 16))
            except OSError:  # the other side is closed
                return

    reader = threading.Thread(target=read)
    reader.start()
    try:
        with os.fdopen(theirs, "wb") as terminal:
            assert toy(*arguments, cwd=cwd, stderr=terminal).returncode == 0
    finally:
        reader.join()
        os.close(ours)
    return drawn.decode()


@pytest.mark.parametrize("size", [(24, 80), (10, 30), (5, 12)])
def test_a_terminal_shows_progress_and_plots(size: tuple[int, int], tmp_path: Path) -> None:
    drawn = shown_in_terminal("train", "toy", "--preset", "try", cwd=tmp_path, size=size)
    assert "100.0%" in drawn
    assert "\x1b[?25h" in drawn  # the cursor is back
    if size == (24, 80):
        assert all(text in drawn for text in ("reward", "moves", "loss 0.06667", "left"))
        assert any("\u2801" <= letter <= "\u28ff" for letter in drawn)


def test_the_curves_of_a_resumed_run_start_at_step_1(tmp_path: Path) -> None:
    stop = ("--set", "signal_at=9")
    toy("train", "toy", "--preset", "try", *stop, "--run", "r", cwd=tmp_path)
    view = TrainView(TOY, tmp_path / "r")
    view.update(progress(10, reward=5.0, moves=2.0))
    curve = view.history.curves["reward"]
    assert len(curve.points) == 10
    assert curve.points[-1] == 5.0


def test_after_a_rollback_curves_are_read_again(tmp_path: Path) -> None:
    toy("train", "toy", "--preset", "try", "--run", "r", cwd=tmp_path)
    view = TrainView(TOY, tmp_path / "r")
    for step, reward in ((10, 5.0), (11, 6.0), (4, 7.0)):
        view.update(progress(step, reward=reward))
    lines = (tmp_path / "r" / "metrics.jsonl").read_text().splitlines()[:3]
    rewards = [json.loads(line)["reward"] for line in lines]
    assert view.history.curves["reward"].points == [*rewards, 7.0]


def test_a_log_file_has_the_key_metrics_with_means(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line for the first step and whenever the first of them is reported; means of what every
    step reports."""
    toy("train", "toy", "--preset", "try", *("--set", "signal_at=1"), "--run", "r", cwd=tmp_path)
    view = TrainView(replace(TOY, key_metrics=("score", "loss")), tmp_path / "r")
    view.update(progress(1, moves=1.0, loss=3.0))
    view.update(progress(2, moves=1.0, loss=2.0, score=0.5))
    view.update(progress(3, moves=1.0, loss=1.0))
    first, line = capsys.readouterr().err.splitlines()
    assert first.startswith("toy: 20 of 300 episodes")
    assert line.startswith("toy: 40 of 300 episodes")
    metrics = "score 0.5, loss 2 (2.5), in brackets: mean of the last 10 steps"
    assert line.endswith(f"left, {metrics}")


def activity(seconds_left: float | None = None) -> Activity:
    return Activity(
        part="self-play",
        done=3,
        total=64,
        unit="games",
        counts={"moves": 512, "positions": 1000},
        seconds=4.0,
        seconds_left=seconds_left,
    )


def test_the_first_sign_of_work_is_shown_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    view = TrainView(TOY, tmp_path / "r")
    for _ in range(3):
        view.update_step(activity())
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("toy: self-play: 3 of 64 games, 512 moves, 250 positions/s, ")
    assert line.endswith(" so far, time left unknown yet")


def test_a_log_file_says_what_a_step_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line comes every few seconds, whatever the learner does; at first it loads."""
    monkeypatch.setattr(train_view, "SECONDS_BETWEEN_LINES", 0.01)
    lines = list[str]()
    with TrainView(TOY, tmp_path / "r") as view:
        while not lines:
            lines = capsys.readouterr().err.splitlines()
        assert lines[0].startswith(f"toy: {LOADING}, ")
        view.update_step(activity(seconds_left=250))
        while "self-play" not in lines[-1]:
            lines = capsys.readouterr().err.splitlines() or lines
    assert lines[-1].endswith(" so far, about 4 min left")


def test_what_was_not_measured_is_not_drawn(tmp_path: Path) -> None:
    view = TrainView(replace(TOY, plots=("reward", "score")), tmp_path / "r")
    view.history.add({"reward": 5.0, "loss": 1.0})
    console = Console(width=80, height=24, record=True, file=io.StringIO())
    console.print(view._panel(console))
    drawn = console.export_text()
    assert "reward 5" in drawn
    assert "score" not in drawn


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "time left unknown yet"),
        (0, "a few seconds left"),
        (33, "about 30 s left"),
        (89, "about 1 min left"),
        (245, "about 4 min left"),
        (1_400, "about 25 min left"),
        (3_599, "about 1 h left"),
        (9_999, "about 3 h left"),
        (200_000, "about 2 days left"),
        (142 * 86_400, "more than 30 days left"),
    ],
)
def test_the_time_left_is_as_exact_as_it_can_be(seconds: float | None, text: str) -> None:
    assert time_left(seconds) == text


def test_means_are_of_the_last_steps() -> None:
    history = MetricHistory(())
    for value in range(25):
        history.add({"loss": float(value)})
    assert history.text("loss") == f"loss 24 ({sum(range(15, 25)) / 10:g})"
