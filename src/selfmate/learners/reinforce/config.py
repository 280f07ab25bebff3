"""The settings of REINFORCE."""

from typing import Literal

from pydantic import Field

import selfmate.learners.config
from selfmate.nets.config import MoveScorerSettings


class Config(MoveScorerSettings, selfmate.learners.config.Config):
    checkpoint_every: int = Field(10, ge=1, description="iterations between checkpoints")
    games: int = Field(100_000, ge=1, le=10**9, description="games of self-play in total")
    games_per_iteration: int = Field(
        50, ge=1, le=65536, description="games per iteration, all played in parallel"
    )

    # Self-play.
    max_plies: int = Field(
        200, ge=1, le=10_000, description="ply limit after the start; longer games count as draws"
    )
    openings: bool = Field(False, description="start games from the shipped openings")
    endgame_fraction: float = Field(
        0.0, ge=0, le=1, description="fraction of games that start from a won endgame"
    )
    vs_random: float = Field(
        0.0, ge=0, le=1, description="fraction of games against a random player"
    )
    plays_mate_in_one: bool = Field(
        False, description="always play a mate in one, in self-play and in evaluations"
    )
    temperature_train: float = Field(
        1.2, gt=0, le=10, description="initial temperature of the policy in self-play"
    )
    temperature_train_end: float = Field(
        1.2, gt=0, le=10, description="final temperature of the policy in self-play"
    )
    temperature_games: int = Field(
        10_000, ge=1, description="games over which the temperature is annealed"
    )

    # Learning.
    learning_rate: float = Field(1e-3, gt=0, le=1, description="learning rate of Adam")
    max_grad_norm: float = Field(10.0, gt=0, description="maximum gradient norm (global clipping)")
    updates: int = Field(
        1, ge=1, le=1000, description="gradient updates per iteration, each on a part of the plies"
    )
    baseline: Literal["none", "moving_average", "value_head"] = Field(
        "none", description="baseline subtracted from results to reduce variance"
    )
    value_weight: float = Field(0.5, ge=0, le=1000, description="weight of the value head's loss")
    entropy_bonus: float = Field(0.0, ge=0, le=10, description="weight of the entropy bonus")
    replay_iterations: int = Field(
        0, ge=0, le=100, description="earlier iterations whose games are learned from again"
    )
    max_importance_weight: float = Field(
        2.0, ge=1, le=100, description="maximum importance weight of a replayed move"
    )

    # Evaluation.
    evaluate_every: int = Field(20, ge=1, description="iterations between evaluations")
    temperature_play: float = Field(
        0.7, ge=0, le=10, description="temperature in evaluations (0: always the best move)"
    )
    evaluation_games: int = Field(
        40, ge=2, le=1000, multiple_of=2, description="evaluation games per opponent"
    )

    def temperature_after(self, games: int) -> float:
        """The self-play temperature, annealed linearly."""
        start, end = self.temperature_train, self.temperature_train_end
        return start + (end - start) * min(games / self.temperature_games, 1.0)
