"""A killed run resumes bit for bit."""

import subprocess
import sys
from pathlib import Path

from contracts.kill import events_of, run_killed, was_killed
from selfmate.runs.directory import RunDirectory
from unit.runs.kept import kept
from unit.runs.toy import run_toy

TOY = "unit.runs.toy"
PLACES = 50


def test_a_run_killed_anywhere_resumes_bit_for_bit(tmp_path: Path) -> None:
    program = Path(__file__).with_name("kill_everywhere.py")
    done = subprocess.run(
        [sys.executable, str(program), str(tmp_path), str(PLACES)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert int(done.stdout) >= PLACES


def test_a_killed_run_is_reported_as_killed_and_can_be_resumed(tmp_path: Path) -> None:
    events = events_of(run_killed(0, TOY, "whole", cwd=tmp_path))
    assert was_killed(run_killed(events // 2, TOY, "run", cwd=tmp_path))
    assert RunDirectory(tmp_path / "run").status().state == "killed"
    resumed = run_killed(0, TOY, "run", "--resume", cwd=tmp_path)
    assert resumed.returncode == 0
    assert RunDirectory(tmp_path / "run").status().state == "finished"
    assert kept(tmp_path / "run") == kept(tmp_path / "whole")


def test_a_run_is_the_same_in_any_process(tmp_path: Path) -> None:
    run_killed(0, TOY, "there", cwd=tmp_path)
    run_toy(tmp_path / "here")
    assert kept(tmp_path / "here") == kept(tmp_path / "there")
