"""Trainings: started here or on the command line, paused, stopped, gone on with, deleted."""

import os
import re
import signal
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from selfmate.lab.errors import BusyError, NotThereError
from selfmate.lab.job import Job
from selfmate.lab.runs_folder import RunsFolder
from selfmate.learners import LEARNERS, Learner, find_learner
from selfmate.learners.config import DEFAULT, read_config
from selfmate.runs.errors import RunRefusedError
from selfmate.runs.header import CONFIG
from selfmate.runs.listing import delete_run, free_name
from selfmate.runs.lock import writer_of
from selfmate.runs.status import read_status

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
MOST_AT_ONCE = 8

Key = Annotated[str, Field(max_length=60)]
Value = Annotated[str, Field(max_length=500)]
Units = Annotated[int, Field(ge=1, le=10**12)]


class Order(BaseModel):
    """A training to start."""

    model_config = ConfigDict(extra="forbid")

    learner: str = Field(max_length=60)
    preset: str = Field(default=DEFAULT, max_length=60)
    settings: dict[Key, Value] = Field(default={}, max_length=200)  # as they would be typed
    name: str = Field(default="", max_length=300)  # none: LEARNER-PRESET-N
    pause_after: Units | None = None
    load: str | None = Field(default=None, max_length=300)  # a run whose weights it begins with


@dataclass(frozen=True)
class Start:
    """How a start is going that has not become a running run."""

    state: str = ""  # or "starting" or "failed"
    problem: str = ""


@dataclass(frozen=True)
class _Started:
    learner: str
    job: Job


class Trainings:
    def __init__(self, runs: RunsFolder) -> None:
        self._runs = runs
        self._started: dict[str, _Started] = {}
        self._lock = threading.Lock()

    def start(self, order: Order) -> str:
        """The name of the new run. ValueError is the sentence that the command line has, too."""
        learner = find_learner(order.learner)
        sets = [f"{key}={value}" for key, value in order.settings.items()]
        read_config(learner, preset=order.preset, sets=sets)
        options = ["--preset", order.preset, *(f"--set={text}" for text in sets)]
        if order.load:
            options.append(f"--load={self._inside(self._runs.run(order.load).path)}")
        with self._lock:
            stem = f"{learner.name}-{order.preset}-"
            name = order.name or free_name(self._runs.path, stem, self._started)
            self._check_new(name)
            self._launch(name, learner, [*options, *_pausing(order.pause_after)])
        return name

    def resume(self, name: str, pause_after: int | None) -> None:
        run = self._runs.run(name)
        learner = LEARNERS.get(run.learner)
        if learner is None or learner.verb != "train":
            raise ValueError(f"{run.learner} goes on from the command line only")
        with self._lock:  # two tabs may ask at once, so the second looks when the first is done
            state = run.status().state
            if state == "finished":
                raise BusyError(f"{name} is finished: nothing is left to do")
            if state == "running" or self.start_of(name).state == "starting":
                raise BusyError(f"{name} is running already")
            self._launch(name, learner, ["--resume", *_pausing(pause_after)])

    def pause(self, name: str) -> None:
        self._signal(name, signal.SIGUSR1)

    def stop(self, name: str) -> None:
        self._signal(name, signal.SIGTERM)

    def delete(self, name: str) -> None:
        run = self._runs.run(name)
        if self.start_of(name).state == "starting":
            raise BusyError(f"{name} is being started: stop it first")
        try:
            delete_run(run.path)
        except RunRefusedError as error:
            if writer_of(run.path) is None:
                raise
            raise BusyError(f"{name} is running: stop it first") from error
        self._started.pop(name, None)

    def check(self, name: str) -> None:
        """NotThereError when there is no such run, and none is being started."""
        if not self.start_of(name).state:
            self._runs.check(name)

    def start_of(self, name: str) -> Start:
        """Nothing to say once the run itself has it: a process that has begun wrote its number."""
        started = self._started.get(name)
        if started is None:
            return Start()
        status = read_status(self._runs.path / name)
        if status is not None and status.pid == started.job.pid:
            return Start()
        if started.job.runs:
            return Start("starting")
        problem = started.job.problem()
        return Start("failed", problem) if problem else Start()

    def told(self, row: dict[str, Any]) -> dict[str, Any]:
        """A row of a run, with what is known of its start."""
        start = self.start_of(row["name"])
        state = "starting" if start.state == "starting" else row["state"]
        return row | {"state": state, "problem": start.problem}

    def described(self, name: str) -> dict[str, Any]:
        """A row for a run that is not there yet, or never came to be."""
        start, started = self.start_of(name), self._started.get(name)
        if started is None or not start.state:
            raise NotThereError(f"there is no run {name[:80]!r}")
        return _row(name, LEARNERS[started.learner], start)

    def unborn(self) -> list[dict[str, Any]]:
        """Rows for runs that are being started and are not there yet."""
        starts = [(name, self.start_of(name), one) for name, one in list(self._started.items())]
        return [
            _row(name, LEARNERS[started.learner], start)
            for name, start, started in starts
            if start.state == "starting" and not (self._runs.path / name / CONFIG).exists()
        ]

    def names(self) -> list[str]:
        """Those that were started here."""
        return list(self._started)

    def _check_new(self, name: str) -> None:
        if not NAME.fullmatch(name):
            raise ValueError(
                f"a run cannot be called {name[:80]!r}: allowed are up to 80 letters of A to Z, "
                "digits, - _ and ., a letter or digit first"
            )
        if (self._runs.path / name).exists() or self.start_of(name).state == "starting":
            raise BusyError(f"there is a run {name} already: choose another name")

    def _launch(self, name: str, learner: Learner, options: list[str]) -> None:
        alive = sum(one.job.runs for one in self._started.values())
        if alive >= MOST_AT_ONCE:
            raise BusyError(f"{alive} trainings are running already: wait for one, or pause it")
        folder = self._runs.path.absolute()
        folder.mkdir(parents=True, exist_ok=True)
        arguments = [*learner.command.split(), f"--run={self._inside(folder / name)}", *options]
        self._started[name] = _Started(learner.name, Job(arguments, folder.parent))

    def _inside(self, path: Path) -> str:
        """As the command line would be given it, so that sentences are short."""
        return f"{self._runs.path.absolute().name}/{path.name}"

    def _signal(self, name: str, number: signal.Signals) -> None:
        """Only to the process that writes the run, and that listens."""
        started = self._started.get(name)
        if started is not None and self.start_of(name).state == "starting":
            started.job.end()
            if not started.job.runs:
                self._started.pop(name, None)  # another tab may have done so
            return
        run = self._runs.run(name)
        status, writer = run.status(), writer_of(run.path)
        if status.state != "running" or writer != status.pid or writer == os.getpid():
            raise BusyError(f"{name} is not running: it is {status.state}")
        try:
            os.kill(status.pid, number)
        except ProcessLookupError as error:
            raise BusyError(f"{name} has just ended") from error


def _row(name: str, learner: Learner, start: Start) -> dict[str, Any]:
    return {
        "name": name,
        "learner": learner.name,
        "summary": learner.summary,
        "state": start.state,
        "problem": start.problem,
    }


def _pausing(pause_after: int | None) -> list[str]:
    return [] if pause_after is None else [f"--pause-after={pause_after}"]
