"""A trained run as a player of the mini-chess, for the commands that take one."""

from pathlib import Path

import typer

from selfmate.cli.errors import JobFailedError, reading_input
from selfmate.endgame.trained import TrainedRun, trained_run
from selfmate.runs.directory import Found, RunDirectory
from selfmate.runs.errors import RunRefusedError


def load_trained_run(path: Path, version: str = "last") -> TrainedRun:
    """Checkpoints that are passed over are named on standard error."""
    with reading_input():
        run = RunDirectory(path)
        found = _checkpoint(run, version)
        for reason in found.passed_over:
            typer.echo(reason, err=True)
        return trained_run(run, found)


def _checkpoint(run: RunDirectory, version: str) -> Found:
    try:
        return run.checkpoint(version)
    except RunRefusedError as error:
        steps = run.checkpoints().keys()
        if version in ("last", "best", *map(str, steps)) and steps:
            raise JobFailedError(str(error)) from error  # it is there, but damaged
        raise
