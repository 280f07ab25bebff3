"""The settings of the net that plays without search, alike in pretraining and in self-play."""

from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field, model_validator

import selfmate.learners.config
from selfmate.players.policy_spec import TransformerSpec

if TYPE_CHECKING:
    from selfmate.learners.searchless_targets import Scores
    from selfmate.nets.descent import Descent
    from selfmate.nets.transformer import Transformer


class NetConfig(selfmate.learners.config.Config):
    width: int = Field(64, ge=4, le=4096, description="numbers of a token's vector")
    blocks: int = Field(4, ge=1, le=64, description="of the transformer")
    heads: int = Field(8, ge=1, le=64, description="of attention, in each block")
    read_out: Literal["pairs", "board8x8", "special"] = Field(
        "pairs", description="how vectors become moves: from times to, a convolution, one token"
    )
    geometry: bool = Field(True, description="attention has a weight for each pair of squares")
    threads: int = Field(2, ge=1, le=256, description="that learn and play")

    optimizer: Literal["adam", "muon"] = Field(
        "muon", description="AdamW for all weights, or Muon for the layers of the blocks"
    )
    learning_rate: float = Field(3e-3, gt=0, le=1, description="at first")
    warm_up: int = Field(0, ge=0, le=10**9, description="positions until the rate is reached")
    weight_decay: float = Field(1e-4, ge=0, le=1, description="apart from the gradient")
    most_norm: float = Field(2.0, gt=0, description="gradients longer than this are shortened")

    batch: int = Field(256, ge=1, le=65536, description="positions of an update, at first")
    batch_end: int = Field(256, ge=1, le=65536, description="positions of an update, at last")

    illegal_score: float = Field(-10.0, ge=-100, le=0, description="of illegal moves, in targets")
    decided_score: float = Field(4.0, ge=0, le=100, description="of moves that won, plus haste / n")
    haste: float = Field(1.0, ge=0, le=100, description="divided by the moves to the end")

    # Evaluation.
    measured: int = Field(1024, ge=1, le=20_000, description="held-out positions of each kind")
    evaluation_games: int = Field(20, ge=2, le=1000, multiple_of=2, description="per opponent")
    conversions: int = Field(20, ge=1, le=1000, description="won endgames of each kind to win")
    puzzles: str = Field("", description="a file of Lichess puzzles, of which 2,000 are set")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of heads {self.heads}")
        if self.batch > self.batch_end:
            raise ValueError(
                f"batch {self.batch} is more than batch_end {self.batch_end}: batches grow"
            )
        return self

    def spec(self) -> TransformerSpec:
        return TransformerSpec(
            width=self.width,
            blocks=self.blocks,
            heads=self.heads,
            read_out=self.read_out,
            geometry=self.geometry,
        )

    def scores(self) -> "Scores":
        """Of targets that go by results."""
        from selfmate.learners.searchless_targets import Scores

        return Scores(
            illegal=self.illegal_score,
            tried=self.illegal_score,
            decided=self.decided_score,
            haste=self.haste,
        )

    def descent(self, net: "Transformer") -> "Descent":
        from selfmate.nets.descent import Descent

        if self.optimizer == "adam":
            return Descent.adam(net, self.most_norm, self.weight_decay)
        return Descent.muon(net, self.most_norm, self.weight_decay, net.matrices())
