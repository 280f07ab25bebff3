"""The settings of AlphaZero's net, alike in pretraining and in self-play."""

from typing import TYPE_CHECKING, Self

from pydantic import Field, model_validator

import selfmate.learners.config
from selfmate.players.tree_spec import SeResNetSpec
from selfmate.runs.run import Arrays
from selfmate.runs.tensors import check_layout

if TYPE_CHECKING:
    from selfmate.nets.se_resnet import SeResNet


def check_net(weights: Arrays, net: "SeResNet") -> None:
    """Whether weights fit a net; ValueError says which net they are of."""
    blocks = len({name.split(".")[1] for name in weights if name.startswith("blocks.")})
    filters = len(weights["stem.weight"]) if "stem.weight" in weights else 0
    ours = net.shape
    if (blocks, filters) != (ours.blocks, ours.filters):
        raise ValueError(
            f"they are of {blocks} blocks of {filters} filters, this net has {ours.blocks} of "
            f"{ours.filters}: set blocks and filters alike"
        )
    check_layout(weights, net.arrays())


class NetConfig(selfmate.learners.config.Config):
    blocks: int = Field(4, ge=1, le=64, description="of the net; each has two convolutions")
    filters: int = Field(64, ge=8, le=1024, multiple_of=8, description="channels of the net")
    attention: int = Field(2, ge=0, le=64, description="last blocks that attention follows")
    squeeze: bool = Field(True, description="squeeze-and-excitation in every block")
    wdl: bool = Field(True, description="a value of win, draw and loss; else one number")
    semantic: bool = Field(True, description="the net sees the eight planes made by hand")
    checkpointing: bool = Field(False, description="less memory in learning, for more time")
    threads: int = Field(2, ge=1, le=256, description="that learn and play; others, other games")

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
