"""The mirror for TensorBoard, read back by TensorBoard's own reader."""

import sys
from pathlib import Path

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader

from selfmate.cli.tracking import TensorBoardSink, Tracker
from selfmate.runs.directory import RunDirectory
from selfmate.runs.session import Session
from unit.runs.toy import run_toy, stop_at


def mirrored(directory: Path) -> list[tuple[str, int, float]]:
    files = list((directory / "tensorboard").iterdir())
    assert len(files) == 1
    return [
        (value.tag, event.step, value.simple_value)
        for event in LegacyEventFileLoader(str(files[0])).Load()
        for value in event.summary.value
    ]


def recorded(directory: Path) -> list[tuple[str, int, float]]:
    return [
        (name, line["step"], float(np.float32(line[name])))
        for line in RunDirectory(directory).metrics()
        for name in ("level", "seen")
    ]


def test_every_step_is_mirrored_once(tmp_path: Path) -> None:
    for last in (4, 8, 99):
        mirror = Tracker(tmp_path, TensorBoardSink(tmp_path))
        run_toy(tmp_path, Session(resume=True, watch=mirror), before=stop_at(last))
        mirror.close()
        assert mirrored(tmp_path) == recorded(tmp_path)
    assert len(mirrored(tmp_path)) == 24


def test_without_the_package_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(ValueError, match=r"pip install 'selfmate\[tensorboard\]'"):
        TensorBoardSink(tmp_path)
