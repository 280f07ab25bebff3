"""The settings of learning moves of master games without search."""

from typing import Literal

from pydantic import Field

from selfmate.learners.config import FolderName
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
        "outcome", description="moves by how the game ended, or the move that was played"
    )
    haste_by: Literal["mate", "end"] = Field(
        "mate", description="the moves to the end count in games that ended in mate, or in all"
    )
    batch: int = Field(256, ge=1, le=65536, description="positions of an update, at first")
    batch_end: int = Field(256, ge=1, le=65536, description="positions of an update, at last")

    validations: int = Field(4, ge=1, le=1000, description="an epoch")
    measured: int = Field(4096, ge=1, le=10**6, description="held-out positions of each kind")
