"""The settings of imitating the teacher."""

from typing import Annotated

from pydantic import Field

import selfmate.learners.config
from selfmate.players.layers import Hidden

FileName = Annotated[str, Field(min_length=1)]


class Config(selfmate.learners.config.Config):
    checkpoint_every: int = Field(
        8, ge=1, description="steps of up to 64 batches between checkpoints"
    )
    data: tuple[FileName, ...] = Field((), description="files of selfmate collect, or alike")
    validation: float = Field(0.1, gt=0, lt=1, description="share of games that are only tested on")
    epochs: int = Field(3, ge=1, le=1000, description="times that every position is looked at")
    batch: int = Field(1024, ge=1, le=65536, description="positions an update learns from")
    learning_rate: float = Field(1e-3, gt=0, le=1, description="at first; falls to zero")
    most_norm: float = Field(10.0, gt=0, description="gradients longer than this are shortened")
    temperature: float = Field(0.1, gt=0, le=10, description="T of the policy softmax(Q / T)")
    sharpness: float = Field(
        5.0, gt=0, le=100, description="power that the teacher's probabilities are raised to"
    )
    smoothing: float = Field(0.05, ge=0, lt=1, description="share of a target for all legal moves")
    value_weight: float = Field(1.0, ge=0, le=1000, description="weight of the value's loss")
    hidden: Hidden = Field((512, 256, 128), description="neurons of each hidden layer")
    dueling: bool = Field(False, description="values of positions and of moves apart")
