"""`selfmate train`: one training run, from its first step or from where it stopped."""

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.default_run import default_directory
from selfmate.cli.errors import BadInputError, JobFailedError, reading_input
from selfmate.cli.numbers import LARGEST_SEED, above_zero, whole
from selfmate.cli.run_summary import summary_of
from selfmate.cli.train_report import print_plan, print_report, print_settings
from selfmate.cli.train_view import TrainView
from selfmate.learners import LEARNERS, find_learner

if TYPE_CHECKING:
    from selfmate.learners.config import Config
    from selfmate.runs.on_disk import Session
    from selfmate.runs.progress import Progress
    from selfmate.runs.run import Arrays
    from selfmate.runs.tensorboard import TensorBoardMirror

    Watch = Callable[[Progress], None]


def train(
    learner: Annotated[
        str, typer.Argument(metavar="LEARNER", help=f"One of: {', '.join(LEARNERS)}.")
    ],
    preset: Annotated[
        str | None, typer.Option(metavar="P", help="Settings that ship, such as tiny.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Settings as TOML, or a run's config.toml.")
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="One setting; as often as you like."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same run."),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where to keep it.", show_default="runs/LEARNER-PRESET-N"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on exactly where the same run stopped.")
    ] = False,
    load: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Begin with the weights of another run.")
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(parser=above_zero, metavar="M", help="Pause after so long."),
    ] = None,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Also write the figures for TensorBoard.")
    ] = False,
    settings: Annotated[
        bool, typer.Option("--settings", help="List the learner's settings and stop.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Train a learner: watch it, stop it with Ctrl-C, go on with --resume.

    Settings come in layers: defaults, preset, file, --set, --seed.

    Exit code 0 also when paused by --minutes; 130 or 143 when stopped by a signal, with all saved.
    """
    from selfmate.learners.config import read_config
    from selfmate.runs.directory import RunDirectory
    from selfmate.runs.on_disk import Session

    with reading_input():
        chosen = find_learner(learner)
        if settings:
            print_settings(chosen)
            return
        if resume and run is not None and preset is None and config is None:
            config = _own_config(run)
        agreed = read_config(chosen, preset=preset, file=config, sets=sets or (), seed=seed)
        directory = run or default_directory(learner, preset or "default", agreed, resume)
        view = TrainView(chosen, directory)
        mirror = _mirror(directory) if tensorboard else None
        session = Session(
            resume=resume,
            minutes=minutes or math.inf,
            load=None if load is None else _weights_of(load),
            say=view.say,
            watch=view.update if mirror is None else _both(view.update, mirror),
        )
    started = time.perf_counter()
    try:
        stopped_by = _train(agreed, session, view)
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


def _own_config(run: Path) -> Path | None:
    """Who resumes a run need not repeat its settings."""
    from selfmate.runs.header import CONFIG

    return run / CONFIG if (run / CONFIG).exists() else None


def _weights_of(run: Path) -> "Arrays":
    from selfmate.runs.directory import RunDirectory

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


def _train(config: "Config", session: "Session", view: TrainView) -> int | None:
    """Trains until the end or until a signal, whose number is returned."""
    from selfmate.runs.errors import RunFailedError, RunRefusedError

    try:
        with reading_input():
            run = view.learner.open_run(config, view.directory, session)
        with run:
            if run.finished:
                view.say(f"{view.directory} is finished already, nothing is left to do")
            else:
                print_plan(view.learner, config, view.directory)
                with view:
                    view.learner.train(config, run)
    except RunRefusedError as error:
        raise BadInputError(str(error)) from error
    except RunFailedError as error:
        raise JobFailedError(str(error)) from error
    return run.stopped_by
