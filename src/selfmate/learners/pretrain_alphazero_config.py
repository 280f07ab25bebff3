"""The settings of learning from master games."""

from typing import Literal

from pydantic import Field

from selfmate.learners.alphazero_net import NetConfig
from selfmate.learners.config import FolderName


class Config(NetConfig):
    checkpoint_every: int = Field(
        4, ge=1, description="steps of up to 32 updates between checkpoints"
    )
    data: tuple[FolderName, ...] = Field(
        (), max_length=1, description="a folder of selfmate import"
    )
    epochs: int = Field(5, ge=1, le=1000, description="times that every position is looked at")
    positions: int = Field(
        0, ge=0, le=10**12, description="to learn from in all; 0: as many as the epochs have"
    )
    batch: int = Field(640, ge=1, le=65536, description="positions a gradient is taken of")
    accumulation: int = Field(2, ge=1, le=1000, description="gradients that make an update")

    optimizer: Literal["adam", "muon"] = Field(
        "adam", description="AdamW for all weights, or Muon for the layers between boards"
    )
    learning_rate: float = Field(1e-4, gt=0, le=1, description="at first")
    schedule: Literal["plateau", "cosine"] = Field(
        "plateau", description="halved when validations show no gain, or falling to zero"
    )
    warm_up: int = Field(0, ge=0, le=10**9, description="positions until the rate is reached")
    halve_after: int = Field(3, ge=1, le=1000, description="validations without gain")
    stop_after: int = Field(5, ge=1, le=1000, description="validations without gain")
    weight_decay: float = Field(1e-4, ge=0, le=1, description="apart from the gradient")
    most_norm: float = Field(10.0, gt=0, description="gradients longer than this are shortened")
    value_weight: float = Field(5.0, ge=0, le=1000, description="of the value's loss")
    entropy_bonus: float = Field(0.01, ge=0, le=10, description="for a policy that stays open")

    validations: int = Field(4, ge=1, le=1000, description="an epoch")
    validated: int = Field(16384, ge=1, le=10**9, description="held-out positions, at most")
