"""The settings of the actor-critic."""

from pydantic import Field

from selfmate.learners.config import Config as LearnerConfig
from selfmate.nets.config import MoveScorerConfig, MoveScorerSettings


class Config(LearnerConfig, MoveScorerSettings):
    checkpoint_every: int = Field(10, ge=1, description="iterations between checkpoints")
    games: int = Field(20_000, ge=1, le=10**9, description="games in all")
    games_per_iteration: int = Field(64, ge=1, le=4096, description="games per update")
    max_plies: int = Field(200, ge=1, le=10_000, description="plies before truncation")
    temperature: float = Field(1.0, gt=0, le=10, description="policy temperature in self-play")
    learning_rate: float = Field(1e-3, gt=0, le=1, description="learning rate of Adam")
    max_grad_norm: float = Field(1.0, gt=0, le=1e6, description="maximum gradient norm")
    value_weight: float = Field(0.5, ge=0, le=100, description="weight of the critic's loss")
    entropy_bonus: float = Field(0.01, ge=0, le=10, description="weight of the policy's entropy")
    evaluate_every: int = Field(20, ge=1, description="iterations between evaluations")
    evaluation_games: int = Field(40, ge=2, multiple_of=2, description="games per opponent")

    def net(self) -> MoveScorerConfig:
        """A move scorer with a value head: the actor and the critic."""
        return MoveScorerConfig.of(self, value_head=True)
