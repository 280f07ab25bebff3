"""The settings of AlphaZero's net, alike in pretraining and in self-play."""

from typing import Self

from pydantic import Field, model_validator

import selfmate.learners.config
from selfmate.players.tree_spec import SeResNetSpec


class NetConfig(selfmate.learners.config.Config):
    blocks: int = Field(12, ge=1, le=64, description="of the net; each has two convolutions")
    filters: int = Field(192, ge=8, le=1024, multiple_of=8, description="channels of the net")
    attention: int = Field(2, ge=0, le=64, description="last blocks that attention follows")
    squeeze: bool = Field(True, description="squeeze-and-excitation in every block")
    wdl: bool = Field(True, description="a value of win, draw and loss; else one number")
    semantic: bool = Field(True, description="the net sees the eight planes made by hand")
    threads: int = Field(2, ge=1, le=256, description="that learn; other sums, other last digits")

    @model_validator(mode="after")
    def _has_its_blocks(self) -> Self:
        if self.attention > self.blocks:
            raise ValueError(f"attention {self.attention} cannot be more than blocks {self.blocks}")
        return self

    def spec(self) -> SeResNetSpec:
        return SeResNetSpec(
            blocks=self.blocks,
            filters=self.filters,
            attention=self.attention,
            squeeze=self.squeeze,
            wdl=self.wdl,
            semantic=self.semantic,
        )
