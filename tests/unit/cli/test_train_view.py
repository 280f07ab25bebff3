"""The live view of a run: a panel in terminals, lines elsewhere."""

import os
import pty
import termios
import threading
from pathlib import Path

import pytest

from selfmate.cli.train_view import TrainView
from selfmate.runs.progress import Progress
from unit.cli.toy_process import toy
from unit.learners.toy import TOY


def shown_in_terminal(*arguments: str, cwd: Path, size: tuple[int, int]) -> str:
    """Everything a command draws on a terminal of so many lines and columns."""
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
def test_a_terminal_shows_how_it_learns(size: tuple[int, int], tmp_path: Path) -> None:
    drawn = shown_in_terminal("train", "toy", "--preset", "tiny", cwd=tmp_path, size=size)
    assert "100.0%" in drawn
    assert "\x1b[?25h" in drawn  # the cursor is back
    if size == (24, 80):
        assert all(said in drawn for said in ("reward", "moves", "loss 0.06667", "left"))
        assert any("\u2801" <= letter <= "\u28ff" for letter in drawn)


def test_the_curves_of_a_resumed_run_begin_at_its_beginning(tmp_path: Path) -> None:
    stop = ("--set", "signal_at=9")
    toy("train", "toy", "--preset", "tiny", *stop, "--run", "r", cwd=tmp_path)
    view = TrainView(TOY, tmp_path / "r")
    figures = {"reward": 5.0, "moves": 2.0}
    view.update(
        Progress(
            step=10, done=200, total=300, unit="episodes", figures=figures, rate=1, seconds_left=1
        )
    )
    assert len(view.curves["reward"].points) == 10
    assert view.curves["reward"].points[-1] == 5.0
