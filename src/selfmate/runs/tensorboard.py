"""Metrics for TensorBoard, as an extra: event files under `<run>/tensorboard`."""

import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from selfmate.runs.directory import RunDirectory
from selfmate.runs.files import remove
from selfmate.runs.progress import Progress

FOLDER = "tensorboard"
SECONDS_BETWEEN_FLUSHES = 5


class TensorBoardMirror:
    """To be handed to a session as `watch`. With the first step, and when the run went back, it is
    made anew from the metrics on disk, so that nothing is shown twice."""

    def __init__(self, directory: Path) -> None:
        try:
            from tensorboard.summary.writer import event_file_writer
        except ImportError as error:
            raise ValueError(
                "TensorBoard is not installed: pip install 'selfmate[tensorboard]'"
            ) from error
        self._open = event_file_writer.EventFileWriter
        self._directory = directory
        self._events: Any = None
        self._shown = 0  # steps

    def __call__(self, progress: Progress) -> None:
        if self._events is None or progress.step <= self._shown:
            self._rebuild(progress.unit)
        else:
            self._add(progress.step, progress.figures, time.time())
        self._shown = progress.step

    def close(self) -> None:
        if self._events is not None:
            self._events.close()

    def _rebuild(self, unit: str) -> None:
        self.close()
        folder = self._directory / FOLDER
        if folder.exists():
            remove(folder)
        self._events = self._open(str(folder), flush_secs=SECONDS_BETWEEN_FLUSHES)
        run = RunDirectory(self._directory)
        for line, timing in zip(run.metrics(), run.timings(), strict=False):
            step = line.pop("step")
            line.pop(unit)
            self._add(step, line, datetime.fromisoformat(timing["time"]).timestamp())

    def _add(self, step: int, figures: Mapping[str, float], when: float) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=name, simple_value=value) for name, value in figures.items()]
        self._events.add_event(Event(wall_time=when, step=step, summary=Summary(value=values)))
