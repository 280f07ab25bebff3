"""The settings of learning moves of master games without search."""

from typing import Literal, Self

from pydantic import Field, model_validator

from selfmate.learners.config import FolderName
from selfmate.learners.course import UPDATES_PER_STEP
from selfmate.learners.searchless_net import NetConfig


class Config(NetConfig):
    checkpoint_every: int = Field(
        4, ge=1, description="steps of up to 32 updates between checkpoints"
    )
    data: tuple[FolderName, ...] = Field(
        (), max_length=1, description="a folder of selfmate import"
    )
    epochs: int = Field(1, ge=1, le=1000, description="times that every position is looked at")
    positions: int = Field(
        0, ge=0, le=10**12, description="to learn from in all; 0: as many as the epochs have"
    )
    target: Literal["outcome", "imitation"] = Field(
        "outcome", description="moves by how the game ended, with scores, or what was played"
    )
    haste_by: Literal["mate", "end"] = Field(
        "mate", description="haste counts in games that ended in mate, or by the end of any"
    )

    validations: int = Field(4, ge=1, le=1000, description="an epoch")
    measured: int = Field(4096, ge=1, le=20_000, description="held-out positions of each kind")

    @property
    def doublings(self) -> int:
        """Of the batch, from first to last."""
        return (self.batch_end // self.batch).bit_length() - 1

    @model_validator(mode="after")
    def _doubles(self) -> Self:
        allowed = [self.batch << times for times in range(UPDATES_PER_STEP.bit_length())]
        if self.batch_end not in allowed:
            raise ValueError(
                f"batch_end {self.batch_end} is not batch {self.batch} doubled a few times: it can "
                f"be {', '.join(map(str, allowed))}"
            )
        return self
