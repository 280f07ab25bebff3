"""AlphaZero's net: a residual tower with a policy head and a value head.

As in Silver et al. (2018), with squeeze-and-excitation (Hu et al. 2018) as in Lc0, GroupNorm and
GELU in place of BatchNorm and ReLU, and self-attention over the 64 squares after the last blocks.
Inputs and outputs are in the view of the side to move.
"""

import math
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import gelu
from torch.utils.checkpoint import checkpoint

import selfmate._core as core
from selfmate.encodings import AZ4672_MOVES
from selfmate.nets.config import GROUPS, ResNetConfig
from selfmate.nets.optim import numbers_of
from selfmate.nets.precision import Precision, autocast

SQUARES = 64
MOVE_TYPES = 73  # from each square; action = square * 73 + move type
HEADS = 4
REDUCTION = 8  # squeeze-and-excitation has filters / 8 hidden neurons
VALUE_CHANNELS = 8
VALUE_WIDTH = 512

# [4672] Where the squares of an action are among the pairs [from, to]; 4096 if it leaves the board.
PAIR_OF_ACTION = torch.from_numpy(
    np.where(
        AZ4672_MOVES > 0,
        AZ4672_MOVES % SQUARES * SQUARES + AZ4672_MOVES // SQUARES % SQUARES,
        SQUARES * SQUARES,
    ).astype(np.int64)
)

Layer = TypeVar("Layer", nn.Conv2d, nn.Linear)


class BoardConvolution(nn.Conv2d):
    """3x3 convolution over boards [B, C, 8, 8] with zero padding and no bias, computed by the core.

    That takes less than half of torch's time, and results are the same, bit for bit, on any number
    of threads and in any batch. Channels last is the fastest memory layout for the input and that
    of the output. Other types than float32, other devices and CPUs without wide vectors are left to
    torch.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(inputs, outputs, 3, padding=1, bias=False)

    def forward(self, boards: Tensor) -> Tensor:
        is_rounded = torch.is_autocast_enabled("cpu") or boards.dtype != torch.float32
        if is_rounded or not boards.is_cpu or not core.processor_is_wide():
            return super().forward(boards)
        output: Tensor = _Convolve.apply(boards, self.weight)  # type: ignore[no-untyped-call]
        return output


class _Convolve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, boards: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(boards, weight)
        return _convolved(boards, core.winograd_weights(numbers_of(weight)), len(weight))

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor | None, Tensor]:
        (gradient,) = gradients
        boards, weight = ctx.saved_tensors
        of_weight = core.convolution_gradient(
            _squares(boards), _squares(gradient), torch.get_num_threads()
        )
        of_boards = None
        if ctx.needs_input_grad[0]:
            back = core.winograd_weights(numbers_of(weight), back=True)
            of_boards = _convolved(gradient, back, boards.shape[1])
        return of_boards, torch.from_numpy(of_weight)


def _convolved(boards: Tensor, weights: NDArray[np.float32], outputs: int) -> Tensor:
    output = torch.empty((len(boards), 8, 8, outputs))
    core.convolve(_squares(boards), weights, output.numpy(), torch.get_num_threads())
    return output.permute(0, 3, 1, 2)


def _squares(boards: Tensor) -> NDArray[np.float32]:
    """[B, 8, 8, C], copied only if the channels do not come last in memory."""
    return numbers_of(boards.permute(0, 2, 3, 1))


class SeResNet(nn.Module):
    # Blocks are computed again in the backward pass: a third slower, but of all activations only
    # those between blocks are stored.
    gradient_checkpointing = False
    precision: Precision = "auto"  # of matrix products

    def __init__(self, config: ResNetConfig) -> None:
        super().__init__()
        self.config = config
        filters = config.filters
        self.stem = _convolution(config.planes, filters)
        self.stem_norm = nn.GroupNorm(GROUPS, filters)
        first = config.blocks - config.attention_blocks
        self.blocks = nn.ModuleList(
            Block(filters, squeeze=config.squeeze_excitation, attention=number >= first)
            for number in range(config.blocks)
        )
        self.policy = _small(nn.Conv2d(filters, MOVE_TYPES, 1))
        if config.policy_pairs:
            self.pairs = nn.Linear(filters, 2 * filters)  # queries of from-, keys of to-squares
        self.value = ValueHead(filters, 3 if config.wdl else 1)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """From planes96 [B, 96, 8, 8]: policy logits of az4672 [B, 4672], and value logits of win,
        draw and loss of the side to move [B, 3]; without wdl the value [B, 1] before its tanh."""
        with autocast(self.precision, self.device):
            logits, value = self._outputs(planes)
        return logits.float(), value.float()

    def _outputs(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        used = planes[:, : self.config.planes].contiguous(memory_format=torch.channels_last)
        board = gelu(self.stem_norm(self.stem(used)))
        for block in self.blocks:
            if self.gradient_checkpointing and self.training:
                board = checkpoint(block, board, use_reentrant=False)
            else:
                board = block(board)
        logits = self.policy(board).permute(0, 2, 3, 1).flatten(1)
        if self.config.policy_pairs:
            logits = logits + self.pair_logits(board)
        return logits, self.value(board)

    def pair_logits(self, board: Tensor) -> Tensor:
        """[B, 4672] For each action the product of a query of its from-square and a key of its
        to-square, as in Lc0's attention policy; 0 for actions that leave the board."""
        queries, keys = self.pairs(board.flatten(2).transpose(1, 2)).chunk(2, 2)  # [B, 64, C]
        products = queries @ keys.transpose(1, 2) / math.sqrt(queries.shape[2])  # [B, from, to]
        flat = nn.functional.pad(products.flatten(1), (0, 1))  # 0 behind the last pair
        return flat.index_select(1, PAIR_OF_ACTION.to(flat.device))

    def matrices(self) -> list[Tensor]:
        """The weights that Muon updates: those of the tower's convolutions and attention, without
        the heads and squeeze-and-excitation."""
        return [
            layer.weight
            for module in self.modules()
            if isinstance(module, SeResNet | Block | SquareAttention)
            for name, layer in module.named_children()
            if isinstance(layer, nn.Conv2d | nn.Linear) and name != "policy"
        ]

    @property
    def device(self) -> torch.device:
        return self.policy.weight.device

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights by name. On the CPU they share memory with the net: writing to them changes
        it."""
        return {name: tensor.cpu().numpy() for name, tensor in self.state_dict().items()}

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Copies weights of the same names and shapes into the net."""
        for name, tensor in self.state_dict().items():
            tensor.copy_(torch.tensor(weights[name]))


def with_torch_convolutions(net: SeResNet) -> SeResNet:
    """A copy of the net, with the same weights, of torch's own layers only: for exporters, which
    cannot follow a `BoardConvolution` into the core."""
    other = SeResNet(net.config)
    for module in list(other.modules()):
        for name, layer in list(module.named_children()):
            if isinstance(layer, BoardConvolution):
                plain = nn.Conv2d(layer.in_channels, layer.out_channels, 3, padding=1, bias=False)
                setattr(module, name, plain)
    other.load_state_dict(net.state_dict())
    return other


def wdl_of(value: Tensor) -> Tensor:
    """WDL of the side to move [B, 3] from the output of the value head, [B, 3] or [B, 1]. A scalar
    value v says nothing of draws: win (1 + v) / 2, loss (1 - v) / 2."""
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
        output: Tensor = self.attention(gelu(board + change))
        return output


class SqueezeExcitation(nn.Module):
    """Scales each channel by a factor from 0 to 1, computed from the means of all channels (Hu et
    al. 2018)."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.down = nn.Linear(filters, filters // REDUCTION)
        self.up = nn.Linear(filters // REDUCTION, filters)

    def forward(self, board: Tensor) -> Tensor:
        factors = torch.sigmoid(self.up(gelu(self.down(board.mean((2, 3))))))
        return board * factors[:, :, None, None]


class SquareAttention(nn.Module):
    """Self-attention over the 64 squares, added to the board [B, C, 8, 8]."""

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
        query, key, value = heads.permute(2, 0, 3, 1, 4).unbind()
        mixed = nn.functional.scaled_dot_product_attention(query, key, value)
        change: Tensor = self.add(mixed.transpose(1, 2).flatten(2))
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
    """Without a bias: the norm that follows it has one."""
    layer = BoardConvolution(inputs, outputs)
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    return layer


def _gentle(norm: nn.GroupNorm) -> nn.GroupNorm:
    """An untrained block changes little, so that deep towers learn from the start."""
    nn.init.constant_(norm.weight, 0.1)
    return norm


def _small(layer: Layer) -> Layer:
    """Small initial weights: attention adds little at first, and an untrained head is nearly
    uniform."""
    nn.init.normal_(layer.weight, std=0.01)
    assert layer.bias is not None
    nn.init.zeros_(layer.bias)
    return layer
