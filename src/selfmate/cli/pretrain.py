"""`selfmate pretrain`: a net learns from data before it learns by playing."""

import json
from pathlib import Path
from typing import Annotated

import typer

from selfmate.cli.train_options import (
    AsJson,
    ConfigFile,
    Device,
    Load,
    Minutes,
    PauseAfter,
    Preset,
    Resume,
    RunFolder,
    Seed,
    Sets,
    Settings,
    TensorBoard,
)
from selfmate.cli.training import Request, train_as_asked
from selfmate.learners import started_by


def pretrain(
    learner: Annotated[
        str,
        typer.Argument(metavar="LEARNER", help=f"One of: {', '.join(started_by('pretrain'))}."),
    ],
    data: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH", help="Files of selfmate collect, or a folder of selfmate import."
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
    settings: Settings = False,
    as_json: AsJson = False,
) -> None:
    """Teach a learner from data, as a start for `selfmate train LEARNER --load RUN`.

    Everything else is as in `selfmate train`: layers of settings, watching, stopping, resuming.
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
        tensorboard=tensorboard,
    )
    train_as_asked(request, only_settings=settings, as_json=as_json)
