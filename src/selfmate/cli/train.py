"""`selfmate train`: one training run, from its first step or from where it stopped."""

from typing import Annotated

import typer

from selfmate.cli.numbers import whole
from selfmate.cli.train_options import (
    AsJson,
    ConfigFile,
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

MOST_CYCLES = 10**9


def train(
    learner: Annotated[
        str, typer.Argument(metavar="LEARNER", help=f"One of: {', '.join(started_by('train'))}.")
    ],
    preset: Preset = None,
    config: ConfigFile = None,
    sets: Sets = None,
    cycles: Annotated[
        int | None,
        typer.Option(parser=whole(1, MOST_CYCLES), metavar="K", help="As --set cycles=K."),
    ] = None,
    seed: Seed = None,
    run: RunFolder = None,
    resume: Resume = False,
    load: Load = None,
    minutes: Minutes = None,
    pause_after: PauseAfter = None,
    tensorboard: TensorBoard = False,
    settings: Settings = False,
    as_json: AsJson = False,
) -> None:
    """Train a learner: watch it, stop it with Ctrl-C, go on with --resume.

    Settings come in layers: defaults, preset, file, --set, --seed.

    Exit code 0 also when paused, by --minutes, --pause-after or SIGUSR1;
    130 or 143 when stopped, by Ctrl-C or SIGTERM. Either way all is saved.
    """
    request = Request(
        learner=learner,
        verb="train",
        preset=preset,
        config=config,
        sets=[*(sets or ()), *([f"cycles={cycles}"] if cycles else ())],
        seed=seed,
        run=run,
        resume=resume,
        load=load,
        minutes=minutes,
        pause_after=pause_after,
        tensorboard=tensorboard,
    )
    train_as_asked(request, only_settings=settings, as_json=as_json)
