"""A trained run as a player of the mini-chess."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import typer
from numpy.typing import NDArray

from selfmate.cli.errors import JobFailedError, reading_input
from selfmate.endgame.game import Game
from selfmate.endgame.optimal import check_rewards, greedy_actions
from selfmate.endgame.player import learned_values
from selfmate.runs.directory import Found, RunDirectory
from selfmate.runs.errors import RunRefusedError


@dataclass(frozen=True, kw_only=True)
class TrainedRun:
    """What a checkpoint thinks of every move, and the rewards it was trained for."""

    game: Game
    values: NDArray[np.float32]  # [S, A]
    actions: NDArray[np.intp]  # [S], the greedy ones
    gamma: float
    draw_reward: float
    step: int


def load_trained_run(path: Path, version: str = "last") -> TrainedRun:
    """Checkpoints that are passed over are named on standard error."""
    with reading_input():
        run = RunDirectory(path)
        found = _checkpoint(run, version)
        for reason in found.passed_over:
            typer.echo(reason, err=True)
        game, values = learned_values(found.card.player, found.weights)
        gamma, draw_reward = _setting(run, "gamma"), _setting(run, "draw_reward")
        check_rewards(gamma, draw_reward)
        return TrainedRun(
            game=game,
            values=values,
            actions=greedy_actions(game, values),
            gamma=gamma,
            draw_reward=draw_reward,
            step=found.card.step,
        )


def _checkpoint(run: RunDirectory, version: str) -> Found:
    try:
        return run.checkpoint(version)
    except RunRefusedError as error:
        steps = run.checkpoints().keys()
        if version in ("last", "best", *map(str, steps)) and steps:
            raise JobFailedError(str(error)) from error  # it is there, but damaged
        raise


def _setting(run: RunDirectory, name: str) -> float:
    value = run.config.get(name)
    if not isinstance(value, int | float):
        raise ValueError(f"{run.path} has no setting {name} that is a number")
    return float(value)
