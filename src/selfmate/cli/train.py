"""`selfmate train` and `selfmate pretrain`: one training run, new or resumed."""

import json
import math
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.cluster import Cluster
from selfmate.cli.console import (
    Actors,
    AsJson,
    BadInputError,
    ConfigFile,
    Device,
    JobFailedError,
    Load,
    Minutes,
    PauseAfter,
    Preset,
    RayAddress,
    Resume,
    RunFolder,
    Seed,
    Sets,
    Settings,
    TensorBoard,
    Track,
    reading_input,
    whole,
)
from selfmate.cli.runs import default_directory, summary_of
from selfmate.cli.train_view import TrainView, print_plan, print_report, print_settings
from selfmate.learners.registry import find_learner, started_by
from selfmate.renamed import preset_now

if TYPE_CHECKING:
    from selfmate.learners.config import Config
    from selfmate.learners.learner import Learner
    from selfmate.runs import Progress, Session
    from selfmate.selfplay.workers import Workers

    OnProgress = Callable[[Progress], None]

CONFIG = "config.toml"
TENSORBOARD = "tensorboard"
MAX_CYCLES = 10**9


def train(
    learner: Annotated[
        str, typer.Argument(metavar="LEARNER", help=f"One of: {', '.join(started_by('train'))}.")
    ],
    preset: Preset = None,
    config: ConfigFile = None,
    sets: Sets = None,
    cycles: Annotated[
        int | None,
        typer.Option(parser=whole(1, MAX_CYCLES), metavar="K", help="Short for --set cycles=K."),
    ] = None,
    seed: Seed = None,
    device: Device = "cpu",
    ray: RayAddress = None,
    actors: Actors = None,
    run: RunFolder = None,
    resume: Resume = False,
    load: Load = None,
    minutes: Minutes = None,
    pause_after: PauseAfter = None,
    tensorboard: TensorBoard = False,
    track: Track = None,
    settings: Settings = False,
    as_json: AsJson = False,
) -> None:
    """Train a learner. Watch it, stop it with Ctrl-C, continue with --resume.

    Settings are layered, later ones win: defaults, preset, file, --set, --seed.

    Ctrl-C stops the run after the current batch, a second Ctrl-C at once. The
    step that was not done is made again when the run resumes, and the result is
    the same as if it had never been stopped.

    With --ray the games are played by workers on one or many machines. The run
    is bit for bit the same with and without it, and may be resumed either way.

    The exit code is 0 if the run finished or paused (by --minutes, --pause-after
    or SIGUSR1), 130 or 143 if it was stopped by Ctrl-C or SIGTERM.
    """
    request = Request(
        learner=learner,
        verb="train",
        preset=preset,
        config=config,
        sets=[*(sets or ()), *([f"cycles={cycles}"] if cycles else ())],
        seed=seed,
        device=device,
        run=run,
        resume=resume,
        load=load,
        minutes=minutes,
        pause_after=pause_after,
        trackers=[*([TENSORBOARD] if tensorboard else []), *([track] if track else [])],
        cluster=Cluster.of(ray, actors),
    )
    run_training(request, only_settings=settings, as_json=as_json)


def pretrain(
    learner: Annotated[
        str,
        typer.Argument(metavar="LEARNER", help=f"One of: {', '.join(started_by('pretrain'))}."),
    ],
    data: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="Files from `selfmate collect`, or a folder from `selfmate import`.",
        ),
    ] = None,
    preset: Preset = None,
    config: ConfigFile = None,
    sets: Sets = None,
    seed: Seed = None,
    device: Device = "cpu",
    run: RunFolder = None,
    resume: Resume = False,
    load: Load = None,
    minutes: Minutes = None,
    pause_after: PauseAfter = None,
    tensorboard: TensorBoard = False,
    track: Track = None,
    settings: Settings = False,
    as_json: AsJson = False,
) -> None:
    """Train a learner on data, as a start for `selfmate train LEARNER --load RUN`.

    Settings, stopping and resuming work as in `selfmate train`.
    """
    names = json.dumps([str(path) for path in data or ()])
    request = Request(
        learner=learner,
        verb="pretrain",
        preset=preset,
        config=config,
        sets=[*(sets or ()), *([f"data={names}"] if data else ())],
        seed=seed,
        device=device,
        run=run,
        resume=resume,
        load=load,
        minutes=minutes,
        pause_after=pause_after,
        trackers=[*([TENSORBOARD] if tensorboard else []), *([track] if track else [])],
    )
    run_training(request, only_settings=settings, as_json=as_json)


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
    load: str | None
    minutes: float | None
    pause_after: int | None
    trackers: Sequence[str]
    cluster: "Cluster | None" = None  # of the workers that play

    def read_config(self, learner: "Learner") -> "Config":
        from selfmate.learners.config import read_config

        file = self.config
        if self.resume and self.run is not None and self.preset is None and file is None:
            file = _own_config(self.run)
        load = [] if self.load is None else [f"load={json.dumps(self.load)}"]
        sets = [*self.sets, *load]
        return read_config(learner, preset=self.preset, file=file, sets=sets, seed=self.seed)


def run_training(request: Request, *, only_settings: bool, as_json: bool) -> None:
    """Opens the run, trains it to its end or to a stop, and reports."""
    from selfmate.runs import RunDirectory

    with reading_input():
        learner = find_learner(request.learner, request.verb)
        if only_settings:
            print_settings(learner)
            return
        learner.check_device(request.device)
        if request.cluster is not None:
            learner.check_workers(request.device)
        request = _with_new_preset_name(learner, request)
        config = request.read_config(learner)
        directory = request.run or default_directory(
            learner.name, request.preset or "default", config, request.resume
        )
    started = time.perf_counter()
    stopped_by = _train(request, config, TrainView(learner, directory))
    report = summary_of(RunDirectory(directory)) | {"seconds": time.perf_counter() - started}
    if as_json:
        print(json.dumps(report))
    else:
        print_report(learner, report)
    if stopped_by is not None:
        raise typer.Exit(128 + stopped_by)


def _train(request: Request, config: "Config", view: TrainView) -> int | None:
    """Trains until the run ends or a signal stops it; returns the signal."""
    from selfmate.runs import RunFailedError, RunRefusedError

    with ExitStack() as stack:
        try:
            with reading_input():
                watch = _watcher(request, view, stack)
                session = _session(request, view, watch)
                run = view.learner.open_run(config, view.directory, session)
            with run:
                if run.finished:
                    view.say(f"{view.directory} is finished already, nothing is left to do")
                else:
                    print_plan(view.learner, config, view.directory)
                    with view:
                        workers = _workers(request, view, stack)
                        if workers is None:  # else it depends on other machines
                            view.say_length(config, session.pause_after)
                        view.learner.train(config, run, request.device, workers)
        except RunRefusedError as error:
            raise BadInputError(str(error)) from error
        except RunFailedError as error:
            raise JobFailedError(str(error)) from error
    return run.stopped_by


def _workers(request: Request, view: TrainView, stack: ExitStack) -> "Workers | None":
    """Those of the cluster that was asked for, which the stack leaves; None: none was."""
    if request.cluster is None:
        return None
    from selfmate.selfplay.workers import RayWorkers

    return RayWorkers(stack.enter_context(request.cluster.pool(view.say)))


def _watcher(request: Request, view: TrainView, stack: ExitStack) -> "OnProgress":
    """The view, and the trackers that were asked for, which the stack closes."""
    if not request.trackers:
        return view.update
    from selfmate.cli.tracking import Tracker, make_sink

    sinks = [make_sink(name, view.directory) for name in dict.fromkeys(request.trackers)]
    trackers = [stack.enter_context(closing(Tracker(view.directory, sink))) for sink in sinks]

    def all_of_them(progress: "Progress") -> None:
        view.update(progress)
        for tracker in trackers:
            tracker(progress)

    return all_of_them


def _session(request: Request, view: TrainView, watch: "OnProgress") -> "Session":
    from selfmate.runs import Session

    return Session(
        resume=request.resume,
        minutes=request.minutes or math.inf,
        pause_after=request.pause_after or math.inf,
        say=view.say,
        watch=watch,
        watch_step=view.update_step,
        ends_process=True,
    )


def _with_new_preset_name(learner: "Learner", request: Request) -> Request:
    """Presets of version 0.1 keep working under their old names, with a notice."""
    new = preset_now(learner.name, request.preset or "")
    if new is None:
        return request
    typer.echo(f"the preset {request.preset!r} is called {new!r} now", err=True)
    return replace(request, preset=new)


def _own_config(run: Path) -> Path | None:
    """The settings of a run, which need not be repeated to resume it."""
    return run / CONFIG if (run / CONFIG).exists() else None
