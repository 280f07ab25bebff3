"""Metrics of a run for tracking programs, while it trains.

A tracker is a `MetricSink`; the files of the run stay the truth. docs/how-to/track.md shows one of
ten lines.
"""

import sys
from collections.abc import Mapping
from contextlib import redirect_stdout, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from selfmate.extras import check_extra
from selfmate.runs import Progress, RunDirectory, read_header
from selfmate.runs.files import remove

TENSORBOARD, TRACKIO = "tensorboard", "trackio"
TRACKERS = (TENSORBOARD, TRACKIO)
SECONDS_BETWEEN_FLUSHES = 5
PROJECT = "selfmate"


class MetricSink(Protocol):
    """Where metrics go. It is called on the thread that trains: it must not block for long."""

    def restart(self) -> None:
        """Forgets what was logged of this run: all its steps follow again, from the first."""

    def log(self, step: int, metrics: Mapping[str, float], when: float) -> None:
        """The metrics of a step, and when it ended, in seconds since 1970."""

    def close(self) -> None:
        """Writes what is left; may be called more than once."""


class Tracker:
    """For `watch` of a session. With the first step, and after a rollback, the sink gets all
    metrics on disk again, so that no step appears twice."""

    def __init__(self, directory: Path, sink: MetricSink) -> None:
        self._directory, self._sink = directory, sink
        self._shown = 0  # steps

    def __call__(self, progress: Progress) -> None:
        if not self._shown or progress.step <= self._shown:
            self._repeat(progress.unit)
        else:
            self._sink.log(progress.step, progress.metrics, datetime.now(UTC).timestamp())
        self._shown = progress.step

    def close(self) -> None:
        self._sink.close()

    def _repeat(self, unit: str) -> None:
        self._sink.restart()
        run = RunDirectory(self._directory)
        times = {timing["step"]: timing["time"] for timing in run.timings()}
        for line in run.metrics():
            step = line.pop("step")
            line.pop(unit)
            if step in times:
                self._sink.log(step, line, datetime.fromisoformat(times[step]).timestamp())


def make_sink(name: str, directory: Path) -> MetricSink:
    """ValueError: there is no such tracker, or it is not installed."""
    if name not in TRACKERS:
        raise ValueError(f"--track {name!r} is none of {', '.join(TRACKERS)}")
    return TensorBoardSink(directory) if name == TENSORBOARD else TrackioSink(directory)


class TensorBoardSink:
    """Event files in the folder `tensorboard` of the run."""

    def __init__(self, directory: Path) -> None:
        check_extra(TENSORBOARD)
        from tensorboard.summary.writer import event_file_writer

        self._open = event_file_writer.EventFileWriter
        self._folder = directory / TENSORBOARD
        self._events: Any = None

    def restart(self) -> None:
        self.close()
        if self._folder.exists():
            remove(self._folder)
        self._events = self._open(str(self._folder), flush_secs=SECONDS_BETWEEN_FLUSHES)

    def log(self, step: int, metrics: Mapping[str, float], when: float) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=name, simple_value=value) for name, value in metrics.items()]
        self._events.add_event(Event(wall_time=when, step=step, summary=Summary(value=values)))

    def close(self) -> None:
        if self._events is not None:
            self._events.close()


class TrackioSink:
    """A run of the project `selfmate` in trackio's files on this machine, without an account. It
    has the name of the run's directory; after a rollback or a resumption it is written again."""

    def __init__(self, directory: Path) -> None:
        check_extra(TRACKIO)
        import trackio

        self._library: Any = trackio
        self._directory = directory
        self._run: Any = None

    def restart(self) -> None:
        self.close()
        name, header = self._directory.resolve().name, read_header(self._directory)
        with redirect_stdout(sys.stderr):  # it prints where its files are; ours may be JSON
            self._forget(name)
            self._run = self._library.init(
                project=PROJECT,
                name=name,
                config={"learner": header.learner, **header.config},
                embed=False,
                auto_log_gpu=False,
                auto_log_cpu=False,
            )

    def _forget(self, name: str) -> None:
        with suppress(ValueError):  # the project does not exist yet
            for run in self._library.Api().runs(PROJECT):
                if run.name == name:
                    run.delete()

    def log(self, step: int, metrics: Mapping[str, float], when: float) -> None:
        self._run.log(dict(metrics), step=step)

    def close(self) -> None:
        if self._run is not None:
            with redirect_stdout(sys.stderr):
                self._library.finish()
            self._run = None
