"""The settings of REINFORCE."""

from typing import Literal

from pydantic import Field

import selfmate.learners.config
from selfmate.players.layers import Hidden


class Config(selfmate.learners.config.Config):
    checkpoint_every: int = Field(10, ge=1, description="clicks between checkpoints")
    games: int = Field(100_000, ge=1, le=10**9, description="games in all")
    games_per_click: int = Field(50, ge=1, le=65536, description="games of a step, played at once")

    # Playing.
    max_plies: int = Field(200, ge=1, le=10_000, description="longer games are cut, as draws")
    openings: bool = Field(False, description="games begin with one of the shipped openings")
    endgames: float = Field(0.0, ge=0, le=1, description="share that begins with a won endgame")
    vs_random: float = Field(0.0, ge=0, le=1, description="share of games with a random mover")
    finds_mates: bool = Field(
        False, description="who can mate at once does; evaluations look ahead, too"
    )
    temperature_train: float = Field(1.2, gt=0, le=10, description="of the policy, at first")
    temperature_train_end: float = Field(1.2, gt=0, le=10, description="of the policy, at last")
    temperature_games: int = Field(10_000, ge=1, description="games that it takes to get there")

    # The net.
    encoding: Literal["onehot768", "turned768", "counts"] = Field(
        "onehot768",
        description="of positions: all squares, these in the mover's view, or counts of pieces",
    )
    hidden: Hidden = Field((256, 128), description="neurons of each hidden layer")

    # Learning.
    learning_rate: float = Field(1e-3, gt=0, le=1, description="of Adam")
    most_norm: float = Field(10.0, gt=0, description="gradients longer than this are shortened")
    updates: int = Field(1, ge=1, le=1000, description="of a step, each from a share of the plies")
    baseline: Literal["none", "moving_average", "value_head"] = Field(
        "none", description="what a result is compared with"
    )
    value_weight: float = Field(0.5, ge=0, le=1000, description="of the value head's loss")
    entropy_bonus: float = Field(0.0, ge=0, le=10, description="for a policy that stays open")
    replay: int = Field(0, ge=0, le=100, description="earlier steps whose games are learned from")
    most_weight: float = Field(2.0, ge=1, le=100, description="most that a replayed move counts")

    # Evaluation.
    evaluate_every: int = Field(20, ge=1, description="steps between evaluations")
    temperature_play: float = Field(0.7, ge=0, le=10, description="in them; 0: the best move")
    evaluation_games: int = Field(40, ge=2, le=1000, multiple_of=2, description="per opponent")

    def temperature_after(self, games: int) -> float:
        """Goes evenly from the first to the last."""
        start, end = self.temperature_train, self.temperature_train_end
        return start + (end - start) * min(games / self.temperature_games, 1.0)
