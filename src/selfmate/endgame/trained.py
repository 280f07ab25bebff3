"""A trained run as a player of the mini-chess."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfmate.endgame.game import Game
from selfmate.endgame.optimal import check_rewards, greedy_actions
from selfmate.endgame.player import learned_values
from selfmate.runs.directory import Found, RunDirectory


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainedRun:
    """What a checkpoint thinks of every move, and the rewards it was trained for."""

    game: Game
    values: NDArray[np.float32]  # [S, A]
    actions: NDArray[np.intp]  # [S], the greedy ones
    gamma: float
    draw_reward: float
    step: int


def trained_run(run: RunDirectory, found: Found) -> TrainedRun:
    """ValueError says why the checkpoint is no player of the mini-chess."""
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


def _setting(run: RunDirectory, name: str) -> float:
    value = run.config.get(name)
    if not isinstance(value, int | float):
        raise ValueError(f"{run.path} has no setting {name} that is a number")
    return float(value)
