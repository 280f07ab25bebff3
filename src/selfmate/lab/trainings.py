"""The Train view: forms of all learners; trainings that are started, paused, stopped, resumed."""

import os
import re
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.background import BackgroundTask
from typing_extensions import TypedDict

from selfmate.lab.datasets import FOLDER as DATASETS
from selfmate.lab.errors import BusyError, NotFoundError
from selfmate.lab.job import Job
from selfmate.lab.run_archive import zipped
from selfmate.lab.runs_folder import RunRow, RunsFolder
from selfmate.learners.config import DEFAULT, Kind, Setting, read_config, settings_of
from selfmate.learners.learner import Learner
from selfmate.learners.registry import LEARNERS, find_learner
from selfmate.presets import about_preset, load_preset, presets_of
from selfmate.runs import (
    CONFIG,
    PAUSE,
    RunDirectory,
    RunRefusedError,
    delete_run,
    free_name,
    is_locked,
    read_status,
    writer_of,
)
from selfmate.runs.status import Status
from selfmate.weights import is_model, model_names
from selfmate.weights.card import read_card

RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
MAX_RUNNING = 8
VERBS = ("train", "pretrain")  # that the page starts

Key = Annotated[str, Field(max_length=60)]
Value = Annotated[str, Field(max_length=500)]
Units = Annotated[int, Field(ge=1, le=10**12)]
SettingValue = bool | int | float | str | list[int | float | str]


class NewTraining(BaseModel):
    model_config = ConfigDict(extra="forbid")

    learner: str = Field(max_length=60)
    preset: str = Field(default=DEFAULT, max_length=60)
    settings: dict[Key, Value] = Field(default={}, max_length=200)  # as typed after --set
    name: str = Field(default="", max_length=300)  # empty: LEARNER-PRESET-N
    pause_after: Units | None = None
    # A run whose weights it starts with, or a net that ships.
    load: str | None = Field(default=None, max_length=300)


class ResumedTraining(BaseModel):
    model_config = ConfigDict(extra="forbid")

    pause_after: Units | None = None


@dataclass(frozen=True)
class Start:
    """A start that has not become a running run yet, or a stop that has not ended it yet."""

    state: str = ""  # empty, "starting", "failed", "pausing" or "stopping"
    problem: str = ""


@dataclass(frozen=True)
class _Started:
    learner: str
    job: Job


class Trainings:
    def __init__(self, runs: RunsFolder, data: Sequence[Path] = ()) -> None:
        """Trainings may read files below the folders of `data`."""
        self._runs = runs
        self._data = [folder.resolve() for folder in data]
        self._started: dict[str, _Started] = {}
        # Processes that were asked to stop, by run, each with the run's state until it has ended.
        self._ending: dict[str, tuple[int, str]] = {}
        self._lock = threading.Lock()

    def start(self, new: NewTraining) -> str:
        """The name of the new run. ValueError has the same message as the command line."""
        learner = LEARNERS.get(new.learner) or find_learner(new.learner)
        learner.check_installed()
        sets = [f"{key}={value}" for key, value in new.settings.items()]
        config = read_config(learner, preset=new.preset, sets=sets)
        for name, setting in settings_of(learner.config_class).items():
            if name in new.settings and setting.kind in ("text", "list"):  # files, folders or a run
                value = getattr(config, name)
                for path in [value] if isinstance(value, str) else value:
                    if isinstance(path, str):
                        self._check_path(name, path)
        options = ["--preset", new.preset, *(f"--set={text}" for text in sets)]
        if new.load:
            options.append(f"--load={self._source(new.load)}")
        with self._lock:
            stem = f"{learner.name}-{new.preset}-"
            name = new.name or free_name(self._runs.path, stem, self._started)
            self._check_new(name)
            self._launch(name, learner, [*options, *_pausing(new.pause_after)])
        return name

    def resume(self, name: str, pause_after: int | None) -> None:
        run = self._runs.run(name)
        learner = LEARNERS.get(run.learner)
        if learner is None or learner.verb not in VERBS:
            raise ValueError(f"runs of {run.learner} are resumed on the command line only")
        learner.check_installed()
        with self._lock:  # two tabs may ask at once: the second one sees what the first one did
            state = run.status().state
            if state == "finished":
                raise BusyError(f"{name} is finished: nothing is left to do")
            if state == "running" or self.start_of(name).state == "starting":
                raise BusyError(f"{name} is running already")
            self._launch(name, learner, ["--resume", *_pausing(pause_after)])

    def pause(self, name: str) -> None:
        self._signal(name, PAUSE)

    def stop(self, name: str) -> None:
        self._signal(name, signal.SIGTERM)

    def end(self, name: str) -> None:
        """At once, whatever it does. Nothing is lost but the step it was in."""
        self._signal(name, signal.SIGKILL)

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

    def run(self, name: str) -> RunDirectory:
        """NotFoundError when there is no such run."""
        return self._runs.run(name)

    def check(self, name: str) -> None:
        """NotFoundError when there is no such run, and none is being started."""
        if not self.start_of(name).state:
            self._runs.check(name)

    def start_of(self, name: str) -> Start:
        """Empty once the process has written its id into the run's status: the run has begun."""
        started, ending = self._started.get(name), self._ending.get(name)
        if started is None and ending is None:
            return Start()
        status = read_status(self._runs.path / name)
        if ending is not None:
            if status is not None and self._is_running(name, status, ending[0]):
                return Start(ending[1])
            self._ending.pop(name, None)
        if started is None or (status is not None and status.pid == started.job.pid):
            return Start()
        if started.job.runs:
            return Start("starting")
        problem = started.job.problem()
        return Start("failed", problem) if problem else Start()

    def with_start(self, row: RunRow) -> RunRow:
        """The row of a run, with the state of its start."""
        start = self.start_of(row["name"])
        state = row["state"]
        if start.state == "starting" or (start.state and state == "running"):
            state = start.state
        return {**row, "state": state, "problem": start.problem}

    def starting_row(self, name: str) -> RunRow:
        """The row of a run that does not exist yet, or whose start failed."""
        start, started = self.start_of(name), self._started.get(name)
        if started is None or not start.state:
            raise NotFoundError(f"there is no run {name[:80]!r}")
        return _starting_row(name, LEARNERS[started.learner], start)

    def starting_rows(self) -> list[RunRow]:
        """Rows of runs that are being started and do not exist yet."""
        starts = [(name, self.start_of(name), one) for name, one in list(self._started.items())]
        return [
            _starting_row(name, LEARNERS[started.learner], start)
            for name, start, started in starts
            if start.state == "starting" and not (self._runs.path / name / CONFIG).exists()
        ]

    def names(self) -> list[str]:
        """Runs that were started or stopped here."""
        return list({**self._started, **self._ending})

    def _is_running(self, name: str, status: Status, pid: int) -> bool:
        is_written = status.state == "running" and is_locked(self._runs.path / name)
        return is_written and status.pid == pid

    def _check_path(self, name: str, path: str) -> None:
        """The same answer for a path that is missing and one that is not allowed: which files are
        on this machine is nobody's business."""
        if name == "load" and is_model(path):
            return
        own = self._runs.path.resolve() / ("" if name == "load" else DATASETS)
        folders = [*self._data, own]
        if path and not _is_below(self._runs.path.absolute().parent / path, folders):
            raise ValueError(
                f"{name}: there is no {path[:80]!r} in a folder that this lab may read; name such "
                "folders when you start it: selfmate lab --data DIR"
            )

    def _check_new(self, name: str) -> None:
        if not RUN_NAME.fullmatch(name):
            raise ValueError(
                f"a run cannot be called {name[:80]!r}: a name has up to 80 letters A to Z, digits "
                "and - _ . and starts with a letter or digit"
            )
        if (self._runs.path / name).exists() or self.start_of(name).state == "starting":
            raise BusyError(f"there is a run {name} already: choose another name")

    def _launch(self, name: str, learner: Learner, options: list[str]) -> None:
        alive = sum(one.job.runs for one in self._started.values())
        if alive >= MAX_RUNNING:
            raise BusyError(f"{alive} trainings are running already: wait for one, or pause one")
        folder = self._runs.path.absolute()
        folder.mkdir(parents=True, exist_ok=True)
        arguments = [*learner.command.split(), f"--run={self._inside(folder / name)}", *options]
        self._started[name] = _Started(learner.name, Job(arguments, folder.parent))

    def _source(self, name: str) -> str:
        """A net that ships, or a run of this folder."""
        return name if name in model_names() else self._inside(self._runs.run(name).path)

    def _inside(self, path: Path) -> str:
        """The path as it is typed in the folder above, which keeps messages short."""
        return f"{self._runs.path.absolute().name}/{path.name}"

    def _signal(self, name: str, number: signal.Signals) -> None:
        """Signals only the process that writes the run and handles signals."""
        started = self._started.get(name)
        if started is not None and self.start_of(name).state == "starting":
            started.job.end()
            if not started.job.runs:
                self._started.pop(name, None)  # another tab may have removed it
            return
        run = self._runs.run(name)
        status, writer = run.status(), writer_of(run.path)
        if status.state != "running" or writer != status.pid or writer == os.getpid():
            raise BusyError(f"{name} is not running: it is {status.state}")
        try:
            os.kill(status.pid, number)
        except ProcessLookupError as error:
            raise BusyError(f"{name} has just ended") from error
        state = "pausing" if number == PAUSE else "stopping"
        self._ending[name] = (status.pid, state)


def _starting_row(name: str, learner: Learner, start: Start) -> RunRow:
    return {
        "name": name,
        "learner": learner.name,
        "summary": learner.summary,
        "state": start.state,
        "problem": start.problem,
    }


def _is_below(path: Path, folders: Sequence[Path]) -> bool:
    try:
        found = path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError):  # missing, or no path; a circle of links
        return False
    return any(found.is_relative_to(folder) for folder in folders)


def _pausing(pause_after: int | None) -> list[str]:
    return [] if pause_after is None else [f"--pause-after={pause_after}"]


# ---- forms


class SettingForm(TypedDict):
    name: str
    default: SettingValue
    allowed: str
    description: str
    kind: Kind
    choices: tuple[str, ...]


class PresetForm(TypedDict):
    name: str
    about: str
    values: dict[str, SettingValue]


class NetForm(TypedDict):
    """A net that ships, and the settings of a learner that make its own net of the same shape."""

    name: str
    shape: dict[str, SettingValue]


class LearnerForm(TypedDict):
    """Learners that are not `here` are started on the command line, and their runs are shown all
    the same. `nets` are those that ship and that it can start with."""

    name: str
    summary: str
    unit: str
    command: str
    here: bool
    presets: list[PresetForm]
    settings: list[SettingForm]
    main_settings: tuple[str, ...]
    iteration: str  # the setting with the units of one press on Train; empty: all units
    plots: tuple[str, ...]
    key_metrics: tuple[str, ...]
    nets: list[NetForm]


@cache
def learner_forms() -> list[LearnerForm]:
    """Of all learners; they never change while the lab runs."""
    return [_learner_form(learner) for learner in LEARNERS.values()]


def _learner_form(learner: Learner) -> LearnerForm:
    return {
        "name": learner.name,
        "summary": learner.summary,
        "unit": learner.unit,
        "command": f"selfmate {learner.command}",
        "here": learner.verb in VERBS,
        "presets": list(_preset_forms(learner.name)),
        "settings": [_setting_form(one) for one in settings_of(learner.config_class).values()],
        "main_settings": learner.main_settings,
        "iteration": learner.iteration,
        "plots": learner.plots,
        "key_metrics": learner.key_metrics,
        "nets": list(_net_forms(learner)),
    }


def _net_forms(learner: Learner) -> Iterator[NetForm]:
    known = settings_of(learner.config_class)
    for card in map(read_card, model_names()):
        if card.learner.removeprefix("pretrain-") == learner.name.removeprefix("pretrain-"):
            shape = {name: value for name, value in card.player.items() if name in known}
            yield {"name": card.name, "shape": shape}


def _setting_form(setting: Setting) -> SettingForm:
    return {
        "name": setting.name,
        "default": setting.default,
        "allowed": setting.allowed,
        "description": setting.description,
        "kind": setting.kind,
        "choices": setting.choices,
    }


def _preset_forms(learner: str) -> Iterator[PresetForm]:
    yield {"name": DEFAULT, "about": "", "values": {}}
    for name in presets_of(learner):
        full = f"{learner}-{name}"
        yield {"name": name, "about": about_preset(full), "values": load_preset(full)}


# ---- requests


class RunName(TypedDict):
    name: str


def train_routes(trainings: Trainings) -> APIRouter:
    router = APIRouter(prefix="/api")

    @router.get("/learners")
    def learners() -> list[LearnerForm]:
        return learner_forms()

    @router.post("/trainings")
    def start(new: NewTraining) -> RunName:
        return {"name": trainings.start(new)}

    @router.post("/trainings/{name}/pause")
    def pause(name: str) -> RunName:
        trainings.pause(name)
        return {"name": name}

    @router.post("/trainings/{name}/stop")
    def stop(name: str) -> RunName:
        trainings.stop(name)
        return {"name": name}

    @router.post("/trainings/{name}/end")
    def end(name: str) -> RunName:
        trainings.end(name)
        return {"name": name}

    @router.post("/trainings/{name}/resume")
    def resume(name: str, resumed: ResumedTraining) -> RunName:
        trainings.resume(name, resumed.pause_after)
        return {"name": name}

    @router.get("/runs/{name}/download")
    def download(name: str) -> FileResponse:
        """What it takes to look at the run elsewhere, to play it and to resume it."""
        file = zipped(trainings.run(name))
        return FileResponse(
            file,
            media_type="application/zip",
            filename=f"{name}.zip",
            background=BackgroundTask(file.unlink),
        )

    @router.delete("/runs/{name}")
    def delete(name: str) -> RunName:
        trainings.delete(name)
        return {"name": name}

    return router
