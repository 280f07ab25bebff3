"""What verbs share: sentences of errors, plurals, progress, boards."""

import errno
import os
import sys
import time
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from rich.console import Console

from selfmate.cli import console
from selfmate.cli.board_view import draw_board
from selfmate.cli.console import (
    BadInputError,
    JobFailedError,
    LiveLine,
    counted,
    progress,
    reading_input,
)
from selfmate.rules import Board


@pytest.mark.parametrize(
    ("encoding", "rank_8", "rank_4", "rank_1"),
    [
        ("utf-8", "8  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜", "4  ·  ·  ·  ·  ♙  ·  ·  ·", "1  ♖  ♘  ♗  ♕"),
        ("ascii", "8  r  n  b  q  k  b  n  r", "4  .  .  .  .  P  .  .  .", "1  R  N  B  Q"),
    ],
)
def test_a_board_without_colour_tells_white_from_black(
    encoding: str, rank_8: str, rank_4: str, rank_1: str
) -> None:
    written = BytesIO()
    file = TextIOWrapper(written, encoding=encoding)
    board = Board()
    board.push("e2e4")
    Console(file=file, no_color=True, highlight=False).print(draw_board(board))
    file.flush()
    lines = written.getvalue().decode(encoding).splitlines()
    assert [lines[0].rstrip(), lines[4].rstrip()] == [rank_8, rank_4]
    assert lines[7].startswith(rank_1)


def test_errors_of_libraries_become_sentences(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"^No such file .*: '.*/no'$"), reading_input():
        (tmp_path / "no").read_text()
    (tmp_path / "x").write_bytes(b"ab\xff")
    with pytest.raises(BadInputError, match="no UTF-8 text: byte 3 is 0xff"), reading_input():
        (tmp_path / "x").read_text("utf-8")


def test_a_full_disk_is_no_fault_of_the_input() -> None:
    with pytest.raises(JobFailedError, match="No space left on device"), reading_input():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_plurals() -> None:
    assert (counted(1, "game"), counted(0, "game")) == ("1 game", "0 games")
    assert (counted(1, "ply", "plies"), counted(1200, "ply", "plies")) == ("1 ply", "1,200 plies")


def test_a_line_comes_while_the_work_is_silent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "SECONDS_BETWEEN_LINES", 0.01)
    deadline, shown = time.monotonic() + 30, ""
    with LiveLine(lambda _: "working") as view:
        while "working\nworking\n" not in shown and time.monotonic() < deadline:
            shown += capsys.readouterr().err
        view.say("stopping")
    assert "working\nworking\n" in shown
    assert "stopping\n" in capsys.readouterr().err


def test_rates_are_true_when_results_come_in_bursts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: clock)
    monkeypatch.setattr(console, "SECONDS_BETWEEN_LINES", 0.01)
    with progress("solving", 1024, "puzzles") as bar:
        for now in (10.0, 20.0):
            clock = now
            for _ in range(256):
                bar.advance(1)
        clock = 21.0
        bar.advance(0)
        shown = ""
        while "50%" not in shown:
            shown += capsys.readouterr().err
    assert "solving: 50%, 24.38 puzzles/s, about 20 s left" in shown


def test_a_failing_standard_error_does_not_stop_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stderr", full)
        with LiveLine() as view:
            view.say("nobody can read this")
        monkeypatch.undo()
        with pytest.raises(OSError, match="No space left"):
            full.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())
