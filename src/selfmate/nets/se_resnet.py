"""Policy and value from planes: a residual tower with squeeze-and-excitation, and attention over
the 64 squares after its last blocks."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import gelu
from torch.utils.checkpoint import checkpoint

from selfmate.nets.convolution import BoardConvolution

PLANES = 68
SEMANTIC_PLANES = 8  # the last ones, made by hand
SQUARES = 64
KINDS = 73  # of moves from a square; action = square * 73 + kind
GROUPS = 8  # of channels that are normalised together
HEADS = 4
REDUCTION = 8  # a squeezed board has filters / 8 numbers
VALUE_CHANNELS = 8
VALUE_WIDTH = 512

Layer = TypeVar("Layer", nn.Conv2d, nn.Linear)


@dataclass(frozen=True, kw_only=True)
class SeResNetShape:
    blocks: int
    filters: int  # a multiple of 8
    attention: int = 2  # so many of the last blocks are followed by it
    squeeze: bool = True
    wdl: bool = True  # win, draw and loss; else one number
    semantic: bool = True  # uses the last eight planes

    def __post_init__(self) -> None:
        if self.blocks < 1 or self.filters < GROUPS or self.filters % GROUPS:
            raise ValueError(
                f"a net of {self.blocks} blocks of {self.filters} filters cannot be made: "
                f"it takes at least one block, and a multiple of {GROUPS} filters"
            )
        if not 0 <= self.attention <= self.blocks:
            raise ValueError(
                f"attention after {self.attention} blocks is not possible in a net of {self.blocks}"
            )

    @property
    def planes(self) -> int:
        return PLANES if self.semantic else PLANES - SEMANTIC_PLANES


SIZES: Mapping[str, SeResNetShape] = MappingProxyType(
    {
        "tiny": SeResNetShape(blocks=4, filters=64),
        "small": SeResNetShape(blocks=6, filters=96),
        "seed": SeResNetShape(blocks=12, filters=192),
    }
)


class SeResNet(nn.Module):
    def __init__(self, shape: SeResNetShape, *, checkpointing: bool = False) -> None:
        """With checkpointing, blocks are computed again in the backward pass: a third slower, but
        of all activations only those between blocks are kept."""
        super().__init__()
        self.shape = shape
        self.checkpointing = checkpointing
        self.stem = _convolution(shape.planes, shape.filters)
        self.stem_norm = nn.GroupNorm(GROUPS, shape.filters)
        first = shape.blocks - shape.attention
        self.blocks = nn.ModuleList(
            Block(shape.filters, squeeze=shape.squeeze, attention=number >= first)
            for number in range(shape.blocks)
        )
        self.policy = _small(nn.Conv2d(shape.filters, KINDS, 1))
        self.value = ValueHead(shape.filters, 3 if shape.wdl else 1)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of all actions [B, 4672], and those of win, draw and loss for the side to move
        [B, 3]; without wdl the value [B, 1] before its tanh. The planes are [B, 68, 8, 8]."""
        seen = planes[:, : self.shape.planes].contiguous(memory_format=torch.channels_last)
        board = gelu(self.stem_norm(self.stem(seen)))
        for block in self.blocks:
            if self.checkpointing and self.training:
                board = checkpoint(block, board, use_reentrant=False)
            else:
                board = block(board)
        return self.policy(board).permute(0, 2, 3, 1).flatten(1), self.value(board)

    def matrices(self) -> list[Tensor]:
        """What turns boards into boards: the weights of all layers but the heads' and the few of
        squeezing."""
        return [
            layer.weight
            for mixer in self.modules()
            if isinstance(mixer, SeResNet | Block | SquareAttention)
            for name, layer in mixer.named_children()
            if isinstance(layer, nn.Conv2d | nn.Linear) and name != "policy"
        ]

    @property
    def device(self) -> torch.device:
        return self.policy.weight.device

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights; in place, if the net is not on another device: who writes to them changes
        the net."""
        return {name: tensor.cpu().numpy() for name, tensor in self.state_dict().items()}

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Takes over weights of the same layout."""
        for name, tensor in self.state_dict().items():
            tensor.copy_(torch.tensor(weights[name]))


def chances_of(value: Tensor) -> Tensor:
    """Win, draw and loss [B, 3] of what the value's head says, [B, 3] or [B, 1]; a single number
    says nothing of draws."""
    if value.shape[1] == 3:
        return torch.softmax(value, 1)
    expected = torch.tanh(value)
    return torch.cat([(1 + expected) / 2, torch.zeros_like(expected), (1 - expected) / 2], 1)


class Block(nn.Module):
    def __init__(self, filters: int, *, squeeze: bool, attention: bool) -> None:
        super().__init__()
        self.first = _convolution(filters, filters)
        self.first_norm = nn.GroupNorm(GROUPS, filters)
        self.second = _convolution(filters, filters)
        self.second_norm = _gentle(nn.GroupNorm(GROUPS, filters))
        self.squeeze = SqueezeExcitation(filters) if squeeze else nn.Identity()
        self.attention = SquareAttention(filters) if attention else nn.Identity()

    def forward(self, board: Tensor) -> Tensor:
        change = gelu(self.first_norm(self.first(board)))
        change = self.squeeze(self.second_norm(self.second(change)))
        mixed: Tensor = self.attention(gelu(board + change))
        return mixed


class SqueezeExcitation(nn.Module):
    """Each channel times a factor, 0 to 1, that depends on the means of all of them."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.down = nn.Linear(filters, filters // REDUCTION)
        self.up = nn.Linear(filters // REDUCTION, filters)

    def forward(self, board: Tensor) -> Tensor:
        factors = torch.sigmoid(self.up(gelu(self.down(board.mean((2, 3))))))
        return board * factors[:, :, None, None]


class SquareAttention(nn.Module):
    """Every square looks at all 64; what it sees is added."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(filters)
        self.places = nn.Parameter(torch.randn(SQUARES, filters) * 0.02)
        self.look = nn.Linear(filters, 3 * filters)
        self.add = _small(nn.Linear(filters, filters))

    def forward(self, board: Tensor) -> Tensor:
        count, filters = board.shape[:2]
        squares = self.norm(board.flatten(2).transpose(1, 2)) + self.places
        heads = self.look(squares).view(count, SQUARES, 3, HEADS, filters // HEADS)
        query, key, value = heads.permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(query, key, value)
        change: Tensor = self.add(seen.transpose(1, 2).flatten(2))
        return board + change.transpose(1, 2).view_as(board)


class ValueHead(nn.Module):
    def __init__(self, filters: int, outputs: int) -> None:
        super().__init__()
        self.channels = nn.Conv2d(filters, VALUE_CHANNELS, 1)
        self.hidden = nn.Linear(VALUE_CHANNELS * SQUARES, VALUE_WIDTH)
        self.out = _small(nn.Linear(VALUE_WIDTH, outputs))

    def forward(self, board: Tensor) -> Tensor:
        logits: Tensor = self.out(gelu(self.hidden(self.channels(board).flatten(1))))
        return logits


def _convolution(inputs: int, outputs: int) -> nn.Conv2d:
    """Without a bias: the norm that follows has one."""
    layer = BoardConvolution(inputs, outputs)
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    return layer


def _gentle(norm: nn.GroupNorm) -> nn.GroupNorm:
    """A new block changes little, so that deep towers learn from the start."""
    nn.init.constant_(norm.weight, 0.1)
    return norm


def _small(layer: Layer) -> Layer:
    """What is added is little at first, and an untrained head nearly indifferent."""
    nn.init.normal_(layer.weight, std=0.01)
    assert layer.bias is not None
    nn.init.zeros_(layer.bias)
    return layer
