"""Runs that many tests start from."""

import os
from pathlib import Path

import pytest

from unit.runs.corrupted_run import CorruptedRun
from unit.runs.kept import result
from unit.runs.toy import run_toy, stop_at


@pytest.fixture
def no_flushing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No power failure is tested here, and hundreds of runs must be fast."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    directory = tmp_path_factory.mktemp("whole")
    run_toy(directory)
    return result(directory)


@pytest.fixture(scope="session")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with the checkpoints 0, 2 (the best), 6 and 8."""
    directory = tmp_path_factory.mktemp("stopped") / "run"
    run_toy(directory, before=stop_at(8))
    return directory


@pytest.fixture
def corrupted(stopped: Path, whole: dict[str, bytes], tmp_path: Path) -> CorruptedRun:
    return CorruptedRun(stopped, whole, tmp_path)
