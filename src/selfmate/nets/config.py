"""The configuration of each net: settings with bounds and help texts, and what is built from them.

Light to import: torch is loaded when a net is made. `XSettings` are the settings that learners
offer. `XConfig` is the complete configuration of a net, and what the card of a checkpoint stores.
`least_weights` are those of its hidden matrices, without which no such net can be.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from selfmate.renamed import net_config_now
from selfmate.settings import Settings

if TYPE_CHECKING:
    from selfmate.encodings.features import Candidates
    from selfmate.nets.move_scorer import MoveScorer
    from selfmate.nets.q_net import QNet
    from selfmate.nets.resnet import SeResNet
    from selfmate.nets.sparse_net import SparseNet
    from selfmate.nets.transformer import Transformer
    from selfmate.rules import Board

PLANES = 96  # of a position: planes96
SEMANTIC_PLANES, TACTICAL_PLANES = 8, 28  # the last ones, in this order
GROUPS = 8  # channels are normalised in so many groups, which must be of one size
PolicyHead = Literal["pairs", "board8x8", "special"]
Neurons = Annotated[int, Field(ge=1, le=8192)]
Hidden = Annotated[
    tuple[Neurons, ...],
    Field(min_length=1, max_length=8, description="neurons of each hidden layer"),
]


class ResNetSettings(Settings):
    blocks: int = Field(
        default=4, ge=1, le=64, description="residual blocks of two convolutions each"
    )
    filters: int = Field(
        default=64,
        ge=GROUPS,
        le=1024,
        multiple_of=GROUPS,
        description="channels of the residual tower",
    )
    attention_blocks: int = Field(
        default=2,
        ge=0,
        le=64,
        description="last residual blocks that self-attention over squares follows",
    )
    squeeze_excitation: bool = Field(
        default=True, description="squeeze-and-excitation in every block"
    )
    wdl: bool = Field(
        default=True, description="value head predicts win, draw and loss; otherwise a scalar"
    )
    semantic_planes: bool = Field(
        default=True, description="input includes the eight hand-made planes"
    )
    tactical_planes: bool = Field(
        default=False,
        description="input includes 28 planes of attacks, hanging and pinned pieces, and checks",
    )
    policy_pairs: bool = Field(
        default=False,
        description="move logits have a term for each pair of from-square and to-square",
    )

    @property
    def planes(self) -> int:
        """How many of planes96 the net reads, the first ones."""
        if self.tactical_planes:
            return PLANES
        return PLANES - TACTICAL_PLANES - (0 if self.semantic_planes else SEMANTIC_PLANES)

    @property
    def plane_encoding(self) -> str:
        """The smaller of the encodings that have all planes of the net."""
        return "planes96" if self.tactical_planes else "planes68"

    @model_validator(mode="after")
    def _has_semantic_planes_if_tactical(self) -> Self:
        if self.tactical_planes and not self.semantic_planes:
            raise ValueError("tactical_planes are behind the semantic ones: set semantic_planes")
        return self

    @model_validator(mode="after")
    def _has_blocks_for_its_attention(self) -> Self:
        if self.attention_blocks > self.blocks:
            raise ValueError(
                f"attention_blocks {self.attention_blocks} cannot be more than blocks {self.blocks}"
            )
        return self


class ResNetConfig(ResNetSettings):
    kind: Literal["se_resnet"] = "se_resnet"

    @property
    def least_weights(self) -> int:
        return 2 * 9 * self.blocks * self.filters**2  # two 3x3 convolutions a block

    def make_net(self) -> "SeResNet":
        from selfmate.nets.resnet import SeResNet

        return SeResNet(self)


# Where the own king stands, by which a sparse net tells its inputs apart, is one of so many places.
KING_BUCKETS = (1, 4)
VIEW_PIECES, ATTACK_STATES, VIEW_FLAGS = 12 * 64, 4, 4
INTEGER_GRAIN = 32  # the core computes so many 16-bit numbers at once


class SparseNetSettings(Settings):
    accumulator: int = Field(
        default=256,
        ge=INTEGER_GRAIN,
        le=2048,
        multiple_of=INTEGER_GRAIN,
        description="neurons that each side's view of the pieces is summed up in (net = sparse)",
    )
    king_buckets: int = Field(
        default=1,
        ge=1,
        le=4,
        description="places of the own king that inputs are told apart by: 1 or 4 (net = sparse)",
    )
    attacks: bool = Field(
        default=True,
        description="inputs tell which sides attack each piece (net = sparse)",
    )
    policy_width: int = Field(
        default=64,
        ge=INTEGER_GRAIN,
        le=128,
        multiple_of=INTEGER_GRAIN,
        description="size of the vectors of positions and moves, whose product is a move's logit "
        "(net = sparse)",
    )
    value_width: int = Field(
        default=32,
        ge=INTEGER_GRAIN,
        le=128,
        multiple_of=INTEGER_GRAIN,
        description="neurons of the two hidden layers of the value head (net = sparse)",
    )

    @model_validator(mode="after")
    def _has_known_buckets(self) -> Self:
        if self.king_buckets not in KING_BUCKETS:
            raise ValueError(f"king_buckets must be 1 or 4, not {self.king_buckets}")
        return self


class SparseNetConfig(SparseNetSettings):
    kind: Literal["sparse_net"] = "sparse_net"

    @property
    def inputs(self) -> int:
        """Features of a view: pieces on squares, and castling rights."""
        states = ATTACK_STATES if self.attacks else 1
        return self.king_buckets * states * VIEW_PIECES + VIEW_FLAGS

    @property
    def least_weights(self) -> int:
        return self.accumulator * (self.inputs + 2 * (self.policy_width + self.value_width))

    def make_net(self) -> "SparseNet":
        from selfmate.nets.sparse_net import SparseNet

        return SparseNet(self)


class TransformerSettings(Settings):
    width: int = Field(default=64, ge=4, le=4096, description="embedding size; a multiple of heads")
    blocks: int = Field(default=4, ge=1, le=64, description="transformer blocks")
    heads: int = Field(default=8, ge=1, le=64, description="attention heads of each block")
    policy_head: PolicyHead = Field(
        default="pairs",
        description="move logits from products of square pairs, a convolution over the board, or "
        "the special first token",
    )
    square_pair_bias: bool = Field(
        default=True, description="attention has a learned bias for each pair of squares"
    )

    @model_validator(mode="after")
    def _has_heads_of_one_size(self) -> Self:
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of heads {self.heads}")
        return self


class TransformerConfig(TransformerSettings):
    kind: Literal["transformer"] = "transformer"

    @property
    def least_weights(self) -> int:
        return 12 * self.blocks * self.width**2  # attention 4, the layers between 8

    def make_net(self) -> "Transformer":
        from selfmate.encodings.records import MOVES
        from selfmate.nets.transformer import Transformer

        return Transformer(self, MOVES)


# `attacks3399` says of each square what stands there and which sides attack it, by one of 52
# numbers; then come the features behind the pieces of features839.
Q_NET_INPUTS: Mapping[str, int] = MappingProxyType({"features839": 839, "attacks3399": 3399})
POLICY_TEMPERATURE = 0.1  # the policy of a Q-net is softmax(Q / 0.1), as in its training


class QNetSettings(Settings):
    inputs: Literal["features839", "attacks3399"] = Field(
        default="attacks3399",
        description="input: pieces by square, or for each square also which sides attack it",
    )
    hidden: Hidden = (512, 256, 128)
    dueling: bool = Field(
        default=True,
        description="dueling heads: state value and action advantages; a search uses the value",
    )
    move_kinds: bool = Field(
        default=True,
        description="moves have weights for what they take, attack and leave, and for their piece",
    )


class QNetConfig(QNetSettings):
    kind: Literal["q_net"] = "q_net"

    @property
    def least_weights(self) -> int:
        return sum(a * b for a, b in pairwise((Q_NET_INPUTS[self.inputs], *self.hidden)))

    def make_net(self) -> "QNet":
        from selfmate.nets.q_net import QNet

        return QNet(self)


class MoveScorerSettings(Settings):
    encoding: Literal["onehot768", "turned768", "counts"] = Field(
        default="onehot768",
        description="input: all squares, all squares seen by the side to move, or piece counts",
    )
    hidden: Hidden = (256, 128)


class MoveScorerConfig(MoveScorerSettings):
    kind: Literal["move_scorer"] = "move_scorer"
    value_head: bool = Field(default=False, description="a second head predicts the result")

    @property
    def least_weights(self) -> int:
        return sum(a * b for a, b in pairwise(self.hidden))

    def make_net(self) -> "MoveScorer":
        from selfmate.encodings.features import MOVE_INPUTS, POSITION_INPUTS
        from selfmate.nets.move_scorer import MoveScorer

        inputs = POSITION_INPUTS[self.encoding]
        return MoveScorer(self, position_inputs=inputs, move_inputs=MOVE_INPUTS)

    def candidates(self, boards: Sequence["Board"]) -> "Candidates":
        """The net's input: all legal moves of some boards."""
        from selfmate.encodings.features import (
            Candidates,
            is_white_to_move,
            legal_move_rows,
            position_rows,
        )

        moves, offsets = legal_move_rows(self.encoding, boards)
        return Candidates(
            positions=position_rows(self.encoding, boards),
            is_white=is_white_to_move(boards),
            moves=moves,
            offsets=offsets,
        )


NetConfig = ResNetConfig | SparseNetConfig | TransformerConfig | QNetConfig | MoveScorerConfig
NET_CONFIGS: Mapping[str, type[NetConfig]] = MappingProxyType(
    {
        "q_net": QNetConfig,
        "move_scorer": MoveScorerConfig,
        "se_resnet": ResNetConfig,
        "sparse_net": SparseNetConfig,
        "transformer": TransformerConfig,
    }
)


def read_net_config(card: Mapping[str, Any]) -> NetConfig:
    """The configuration that a checkpoint's card stores, also under the names of version 0.1.

    pydantic's ValidationError says which field is wrong; KeyError: there are no nets of that kind.
    """
    # JSON has lists where tuples are meant, which strict validation would refuse.
    return NET_CONFIGS[card["kind"]].model_validate(net_config_now(card), strict=False)
