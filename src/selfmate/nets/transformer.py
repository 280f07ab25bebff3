"""The searchless net: a transformer over the 78 tokens of a position, with a logit for each move.

As in Ruoss et al. (2024), the net knows no rules and does not search. Blocks apply their norm first
(pre-norm). Tokens and moves are in the view of the side to move. This is the net that learns; to
play, the core computes the forward pass alone (`nets.evaluator.TransformerEvaluator`).
"""

import math
from collections.abc import Callable, Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import gelu

import selfmate._core as core
from selfmate.nets.config import PolicyHead, TransformerConfig
from selfmate.nets.optim import numbers_of

TOKENS = 78  # a special one, 64 squares, castling rights and en passant
VOCABULARY = 16
SQUARES = slice(1, 65)  # the tokens of the squares
PROMOTIONS = 4
EXPANSION = 4  # the hidden layer of a block is this many times as wide as its tokens
HEAD_GRAIN = 8  # the core's attention takes heads whose width is a multiple of this

MoveCodes = NDArray[np.uint16]  # [A] the move of each action: from | to << 6 | promotion << 12


class Transformer(nn.Module):
    def __init__(self, config: TransformerConfig, actions: MoveCodes) -> None:
        super().__init__()
        self.config = config
        width = config.width
        self.words = nn.Embedding(VOCABULARY, width)
        self.places = nn.Parameter(torch.randn(TOKENS, width) * 0.02)
        nn.init.normal_(self.words.weight, std=0.02)
        # Residual branches start small, so that the sum of all of them does not grow with depth.
        gain = math.sqrt(0.5 / config.blocks)
        self.blocks = nn.ModuleList(Block(config, gain) for _ in range(config.blocks))
        self.norm = nn.LayerNorm(width)
        self.read_out = POLICY_HEADS[config.policy_head](width, actions)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits [B, A] of all actions, legal or not, from tokens [B, 78]."""
        embedded = self.words(tokens) + self.places
        for block in self.blocks:
            embedded = block(embedded)
        logits: Tensor = self.read_out(self.norm(embedded))
        return logits

    def matrices(self) -> list[Tensor]:
        """The weights that Muon updates: those of the linear layers of all blocks."""
        return [
            layer.weight
            for block in self.blocks
            for layer in block.modules()
            if isinstance(layer, nn.Linear)
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights by name, sharing memory with the net: writing to them changes it."""
        return {name: tensor.numpy() for name, tensor in self.state_dict().items()}

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Copies weights of the same names and shapes into the net."""
        for name, array in self.arrays().items():
            array[...] = weights[name]


def with_torch_attention(net: Transformer) -> Transformer:
    """A copy of the net whose attention torch computes: for exporters, which cannot follow it into
    the core."""
    other = deepcopy(net)
    for module in other.modules():
        if isinstance(module, Block):
            module.by_torch = True
    return other


class Block(nn.Module):
    """Self-attention and a hidden layer, each after a norm and added to its input [B, T, W]."""

    by_torch = False  # torch computes the attention on any device

    def __init__(self, config: TransformerConfig, gain: float) -> None:
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.look = _linear(width, 3 * width)
        self.add = _linear(width, width, gain)
        self.widen = _linear(width, EXPANSION * width)
        self.narrow = _linear(EXPANSION * width, width, gain)
        bias = torch.zeros(config.heads, TOKENS, TOKENS) if config.square_pair_bias else None
        self.geometry = None if bias is None else nn.Parameter(bias)

    def forward(self, tokens: Tensor) -> Tensor:
        tokens = tokens + self.attention(self.first_norm(tokens))
        change: Tensor = self.narrow(gelu(self.widen(self.second_norm(tokens))))
        return tokens + change

    def attention(self, tokens: Tensor) -> Tensor:
        attend = attention_by_torch if self.by_torch else attention
        output: Tensor = self.add(attend(self.look(tokens), self.geometry, self.heads))
        return output


class SpecialHead(nn.Module):
    """The reference design's: a linear layer on the special first token, which must hold everything
    that is known of the position."""

    def __init__(self, width: int, actions: MoveCodes) -> None:
        super().__init__()
        self.out = _linear(width, len(actions))

    def forward(self, tokens: Tensor) -> Tensor:
        logits: Tensor = self.out(tokens[:, 0])
        return logits


class BoardHead(nn.Module):
    """The reference design's second sketch: convolutions over the squares as a board [B, W, 8, 8].
    The logit of a move is at its from-square, on a plane for its to-square; promotions have a plane
    for each piece and direction."""

    def __init__(self, width: int, actions: MoveCodes) -> None:
        super().__init__()
        self.mix = nn.Conv2d(width, width, 3, padding=1)
        self.planes = nn.Conv2d(width, 64 + 3 * PROMOTIONS, 1)
        start, end, promotion = _parts(actions)
        kind = 64 + (end % 8 - start % 8 + 1) * PROMOTIONS + promotion - 1
        self.at = _places(self, "at", np.where(promotion > 0, kind, end) * 64 + start)
        self.usual = nn.Parameter(torch.zeros(len(actions)))

    def forward(self, tokens: Tensor) -> Tensor:
        # By shape and not by len(), which an exporter takes for a constant.
        board = tokens[:, SQUARES].transpose(1, 2).reshape(tokens.shape[0], -1, 8, 8)
        planes: Tensor = self.planes(gelu(self.mix(board)))
        return planes.flatten(1)[:, self.at] + self.usual


class PairsHead(nn.Module):
    """The logit of a move is q(from) . k(to) / sqrt(width) + a bias of the move, for linear maps q
    and k of the squares' vectors. A promotion adds a term of its piece and to-square."""

    def __init__(self, width: int, actions: MoveCodes) -> None:
        super().__init__()
        self.start, self.end = _linear(width, width), _linear(width, width)
        self.promotion = _linear(width, PROMOTIONS)
        start, end, promotion = _parts(actions)
        promotes = promotion > 0
        self.at = _places(self, "at", start * 64 + end)
        self.promotes = _places(self, "promotes", np.flatnonzero(promotes))
        piece_at = (end * PROMOTIONS + promotion - 1)[promotes]
        self.piece_at = _places(self, "piece_at", piece_at)
        self.usual = nn.Parameter(torch.zeros(len(actions)))

    def forward(self, tokens: Tensor) -> Tensor:
        squares = tokens[:, SQUARES]
        scale = 1 / math.sqrt(squares.shape[2])
        pairs = (self.start(squares) * scale) @ self.end(squares).transpose(1, 2)
        pieces: Tensor = self.promotion(squares).flatten(1)[:, self.piece_at]
        logits: Tensor = pairs.flatten(1)[:, self.at] + self.usual
        return logits.index_add(1, self.promotes, pieces)


POLICY_HEADS: Mapping[PolicyHead, Callable[[int, MoveCodes], nn.Module]] = MappingProxyType(
    {"pairs": PairsHead, "board8x8": BoardHead, "special": SpecialHead}
)


def _parts(actions: MoveCodes) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """From-square, to-square and promotion of each action."""
    codes = actions.astype(np.int64)
    return codes & 63, codes >> 6 & 63, codes >> 12


def _places(module: nn.Module, name: str, values: NDArray[np.int64]) -> Tensor:
    """Indices as a buffer: they move to a device with the module, and are not saved."""
    places = torch.from_numpy(np.ascontiguousarray(values))
    module.register_buffer(name, places, persistent=False)
    return places


def _linear(inputs: int, outputs: int, gain: float = 1.0) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.normal_(layer.weight, std=gain / math.sqrt(inputs))
    nn.init.zeros_(layer.bias)
    return layer


def attention(qkv: Tensor, bias: Tensor | None, heads: int) -> Tensor:
    """softmax(q k' / sqrt(d) + bias) v [B, T, W], for queries, keys and values [B, T, 3 W] and a
    bias [heads, T, T].

    The core computes it faster than torch does on a CPU, and bit for bit the same in any batch.
    """
    head_width = qkv.shape[2] // 3 // heads
    if qkv.is_cpu and qkv.dtype == torch.float32 and head_width % HEAD_GRAIN == 0:
        output: Tensor = _Attention.apply(qkv, bias, heads)  # type: ignore[no-untyped-call]
        return output
    return attention_by_torch(qkv, bias, heads)


def attention_by_torch(qkv: Tensor, bias: Tensor | None, heads: int) -> Tensor:
    count, length, triple = qkv.shape
    parts = qkv.view(count, length, 3, heads, triple // 3 // heads)
    query, key, value = parts.permute(2, 0, 3, 1, 4)
    scores = (query * query.shape[3] ** -0.5) @ key.transpose(2, 3)
    if bias is not None:
        scores = scores + bias
    output: Tensor = torch.softmax(scores, 3) @ value
    return output.transpose(1, 2).flatten(2)


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, qkv: Tensor, bias: Tensor | None, heads: int) -> Tensor:
        ctx.save_for_backward(qkv, bias)
        ctx.heads = heads
        output = torch.empty(*qkv.shape[:2], qkv.shape[2] // 3)
        core.attend(numbers_of(qkv), _numbers_or_none(bias), heads, output.numpy())
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, Tensor | None, None]:
        qkv, bias = ctx.saved_tensors
        qkv_gradient = torch.empty(qkv.shape)
        bias_gradient = None if bias is None else torch.empty(bias.shape)
        core.attend_back(
            numbers_of(qkv),
            _numbers_or_none(bias),
            ctx.heads,
            numbers_of(gradients[0]),
            qkv_gradient.numpy(),
            _numbers_or_none(bias_gradient),
        )
        return qkv_gradient, bias_gradient, None


def _numbers_or_none(tensor: Tensor | None) -> NDArray[np.float32] | None:
    return None if tensor is None else numbers_of(tensor)
