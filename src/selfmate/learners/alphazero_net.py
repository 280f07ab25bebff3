"""The settings of AlphaZero's net, alike in pretraining and in self-play."""

from typing import Literal

from pydantic import Field

import selfmate.learners.config
from selfmate.players.tree_spec import SeResNetSpec

SIZES = {"tiny": (4, 64), "small": (6, 96), "seed": (12, 192)}  # blocks and filters


class NetConfig(selfmate.learners.config.Config):
    size: Literal["tiny", "small", "seed"] = Field(
        "seed", description="of the net: 4 x 64, 6 x 96 or 12 blocks x 192 filters"
    )
    attention: int = Field(2, ge=0, le=4, description="last blocks that are followed by attention")
    squeeze: bool = Field(True, description="squeeze-and-excitation in every block")
    wdl: bool = Field(True, description="a value of win, draw and loss; else one number")
    semantic: bool = Field(True, description="the net sees the eight planes made by hand")
    threads: int = Field(2, ge=1, le=256, description="that learn; other sums, other last digits")

    def spec(self) -> SeResNetSpec:
        blocks, filters = SIZES[self.size]
        return SeResNetSpec(
            blocks=blocks,
            filters=filters,
            attention=self.attention,
            squeeze=self.squeeze,
            wdl=self.wdl,
            semantic=self.semantic,
        )
