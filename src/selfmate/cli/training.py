"""What `train` and `pretrain` do: a run is opened, watched to its end, and reported."""

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from selfmate.cli.default_run import default_directory
from selfmate.cli.errors import BadInputError, JobFailedError, reading_input
from selfmate.cli.run_summary import summary_of
from selfmate.cli.train_report import print_plan, print_report, print_settings
from selfmate.cli.train_view import TrainView
from selfmate.learners import find_learner
from selfmate.weights import is_model

if TYPE_CHECKING:
    from selfmate.learners import Learner
    from selfmate.learners.config import Config
    from selfmate.runs.on_disk import Session
    from selfmate.runs.progress import Progress
    from selfmate.runs.run import Arrays
    from selfmate.runs.tensorboard import TensorBoardMirror

    Watch = Callable[[Progress], None]


@dataclass(frozen=True, kw_only=True)
class Request:
    """The command as it was typed."""

    learner: str
    verb: str
    preset: str | None
    config: Path | None
    sets: Sequence[str]
    seed: int | None
    device: str
    run: Path | None
    resume: bool
    load: Path | None
    minutes: float | None
    pause_after: int | None
    tensorboard: bool

    def read_config(self, learner: "Learner") -> "Config":
        from selfmate.learners.config import read_config

        file = self.config
        if self.resume and self.run is not None and self.preset is None and file is None:
            file = _own_config(self.run)
        return read_config(learner, preset=self.preset, file=file, sets=self.sets, seed=self.seed)


def train_as_asked(request: Request, *, only_settings: bool, as_json: bool) -> None:
    from selfmate.runs.directory import RunDirectory

    with reading_input():
        chosen = find_learner(request.learner, request.verb)
        if only_settings:
            print_settings(chosen)
            return
        chosen.check_device(request.device)
        config = request.read_config(chosen)
        directory = request.run or default_directory(
            chosen.name, request.preset or "default", config, request.resume
        )
        view = TrainView(chosen, directory)
        mirror = _mirror(directory) if request.tensorboard else None
        session = _session(request, view, mirror)
    started = time.perf_counter()
    try:
        stopped_by = _train(config, session, view, request.device)
    finally:
        if mirror is not None:
            mirror.close()
    report = summary_of(RunDirectory(directory)) | {"seconds": time.perf_counter() - started}
    if as_json:
        print(json.dumps(report))
    else:
        print_report(chosen, report)
    if stopped_by is not None:
        raise typer.Exit(128 + stopped_by)


def _session(request: Request, view: TrainView, mirror: "TensorBoardMirror | None") -> "Session":
    from selfmate.runs.on_disk import Session

    return Session(
        resume=request.resume,
        minutes=request.minutes or math.inf,
        pause_after=request.pause_after or math.inf,
        load=None if request.load is None else _weights_of(request.load),
        say=view.say,
        watch=view.update if mirror is None else _both(view.update, mirror),
    )


def _own_config(run: Path) -> Path | None:
    """Who resumes a run need not repeat its settings."""
    from selfmate.runs.header import CONFIG

    return run / CONFIG if (run / CONFIG).exists() else None


def _weights_of(run: Path) -> "Arrays":
    """Of a run, or of a net that ships."""
    from selfmate.runs.directory import RunDirectory

    if is_model(str(run)) and not run.exists():
        from selfmate.players.trained import shipped_weights

        return shipped_weights(str(run))
    found = RunDirectory(run).checkpoint()
    for reason in found.passed_over:
        typer.echo(reason, err=True)
    return found.weights


def _mirror(directory: Path) -> "TensorBoardMirror":
    from selfmate.runs.tensorboard import TensorBoardMirror

    return TensorBoardMirror(directory)


def _both(one: "Watch", other: "Watch") -> "Watch":
    def both(progress: "Progress") -> None:
        one(progress)
        other(progress)

    return both


def _train(config: "Config", session: "Session", view: TrainView, device: str) -> int | None:
    """Trains until the end or until a signal, whose number is returned."""
    from selfmate.runs.errors import RunFailedError, RunRefusedError

    try:
        with reading_input():
            run = view.learner.open_run(config, view.directory, session)
        with run:
            if run.finished:
                view.say(f"{view.directory} is finished already, nothing is left to do")
            else:
                print_plan(view.learner, config, view.directory, session.pause_after)
                with view:
                    view.learner.train(config, run, device)
    except RunRefusedError as error:
        raise BadInputError(str(error)) from error
    except RunFailedError as error:
        raise JobFailedError(str(error)) from error
    return run.stopped_by
