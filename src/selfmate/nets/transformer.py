"""A policy over all moves from a sentence of tokens: a transformer whose read-out makes of the
vectors of the squares one logit for each action."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import gelu

from selfmate.nets.threads import one_thread
from selfmate.nets.token_attention import attended

TOKENS = 78  # of a position: an opening one, 64 squares, castling and en passant
VOCABULARY = 16
SQUARES = slice(1, 65)
PROMOTIONS = 4
EXPANSION = 4  # a block's hidden layer is so many times as wide
BLOCK_ROWS = 16  # positions that are computed together, where answers must not depend on others

ReadOut = Literal["pairs", "board8x8", "special"]
Codes = NDArray[np.uint16]  # [A] what each action is: from | to << 6 | promotion << 12


@dataclass(frozen=True, kw_only=True)
class TransformerShape:
    width: int  # a multiple of the heads
    blocks: int
    heads: int = 8
    read_out: ReadOut = "pairs"
    geometry: bool = True  # attention knows the places, not only what stands on them

    def __post_init__(self) -> None:
        if self.blocks < 1 or self.heads < 1 or self.width < 1 or self.width % self.heads:
            raise ValueError(
                f"a transformer of {self.blocks} blocks, {self.width} wide, with {self.heads} "
                "heads cannot be made: it takes a block, and a multiple of the heads as width"
            )


class Transformer(nn.Module):
    def __init__(self, shape: TransformerShape, actions: Codes) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(VOCABULARY, shape.width)
        self.places = nn.Parameter(torch.randn(TOKENS, shape.width) * 0.02)
        nn.init.normal_(self.words.weight, std=0.02)
        self.blocks = nn.ModuleList(
            Block(shape, math.sqrt(0.5 / shape.blocks)) for _ in range(shape.blocks)
        )
        self.norm = nn.LayerNorm(shape.width)
        self.read_out = READ_OUTS[shape.read_out](shape.width, actions)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits [B, A] of all actions, for tokens [B, 78]."""
        sentence = self.words(tokens) + self.places
        for block in self.blocks:
            sentence = block(sentence)
        logits: Tensor = self.read_out(self.norm(sentence))
        return logits

    @torch.inference_mode()
    def logits(self, tokens: NDArray[np.uint8]) -> NDArray[np.float32]:
        """As `forward`, and a row is the same, bit for bit, in whatever batch it is: the last bits
        of a product change with the number of rows, so they are made in blocks of one size."""
        missing = -len(tokens) % BLOCK_ROWS
        filled = np.concatenate([tokens, np.zeros((missing, TOKENS), np.uint8)])
        with one_thread():
            blocks = torch.split(torch.from_numpy(filled).long(), BLOCK_ROWS)
            found: NDArray[np.float32] = torch.cat([self(block) for block in blocks]).numpy()
        return found[: len(tokens)]

    def matrices(self) -> list[Tensor]:
        """The weights of the layers between sentences."""
        return [
            layer.weight
            for block in self.blocks
            for layer in block.modules()
            if isinstance(layer, nn.Linear)
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights, in place: who writes to them changes the net."""
        return {name: tensor.numpy() for name, tensor in self.state_dict().items()}

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Takes over weights of the same layout."""
        for name, array in self.arrays().items():
            array[...] = weights[name]


class Block(nn.Module):
    """Tokens look at each other, all at all, then each thinks for itself; what comes of it is
    added, the norms come first."""

    def __init__(self, shape: TransformerShape, gain: float) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.look = _linear(width, 3 * width)
        self.add = _linear(width, width, gain)
        self.widen = _linear(width, EXPANSION * width)
        self.narrow = _linear(EXPANSION * width, width, gain)
        bias = torch.zeros(shape.heads, TOKENS, TOKENS) if shape.geometry else None
        self.geometry = None if bias is None else nn.Parameter(bias)

    def forward(self, sentence: Tensor) -> Tensor:
        sentence = sentence + self.attention(self.first_norm(sentence))
        changed: Tensor = self.narrow(gelu(self.widen(self.second_norm(sentence))))
        return sentence + changed

    def attention(self, sentence: Tensor) -> Tensor:
        seen = attended(self.look(sentence), self.geometry, self.heads)
        added: Tensor = self.add(seen)
        return added


class SpecialReadOut(nn.Module):
    """The seed's: all that is known has to be in the opening token."""

    def __init__(self, width: int, actions: Codes) -> None:
        super().__init__()
        self.out = _linear(width, len(actions))

    def forward(self, sentence: Tensor) -> Tensor:
        logits: Tensor = self.out(sentence[:, 0])
        return logits


class BoardReadOut(nn.Module):
    """The seed's second sketch: squares as a board again, and a convolution over it. On the square
    that a move starts from there is a plane for each square it may go to, and for promotions one
    for each piece and direction."""

    def __init__(self, width: int, actions: Codes) -> None:
        super().__init__()
        self.mix = nn.Conv2d(width, width, 3, padding=1)
        self.planes = nn.Conv2d(width, 64 + 3 * PROMOTIONS, 1)
        start, end, promotion = _parts(actions)
        kind = 64 + (end % 8 - start % 8 + 1) * PROMOTIONS + promotion - 1
        self.at = _places(self, "at", np.where(promotion > 0, kind, end) * 64 + start)
        self.usual = nn.Parameter(torch.zeros(len(actions)))

    def forward(self, sentence: Tensor) -> Tensor:
        board = sentence[:, SQUARES].transpose(1, 2).reshape(len(sentence), -1, 8, 8)
        planes: Tensor = self.planes(gelu(self.mix(board)))
        return planes.flatten(1)[:, self.at] + self.usual


class PairsReadOut(nn.Module):
    """The vector of the square that a move starts from times that of the square it goes to; a
    promotion has a term of its own there."""

    def __init__(self, width: int, actions: Codes) -> None:
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

    def forward(self, sentence: Tensor) -> Tensor:
        squares = sentence[:, SQUARES]
        scale = 1 / math.sqrt(squares.shape[2])
        pairs = (self.start(squares) * scale) @ self.end(squares).transpose(1, 2)
        pieces: Tensor = self.promotion(squares).flatten(1)[:, self.piece_at]
        logits: Tensor = pairs.flatten(1)[:, self.at] + self.usual
        return logits.index_add(1, self.promotes, pieces)


READ_OUTS: Mapping[ReadOut, Callable[[int, Codes], nn.Module]] = MappingProxyType(
    {"pairs": PairsReadOut, "board8x8": BoardReadOut, "special": SpecialReadOut}
)


def _parts(actions: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """From, to and promotion."""
    codes = actions.astype(np.int64)
    return codes & 63, codes >> 6 & 63, codes >> 12


def _places(module: nn.Module, name: str, values: NDArray[np.int64]) -> Tensor:
    """Always the same, and no weights; they go where the module goes."""
    places = torch.from_numpy(np.ascontiguousarray(values))
    module.register_buffer(name, places, persistent=False)
    return places


def _linear(inputs: int, outputs: int, gain: float = 1.0) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.normal_(layer.weight, std=gain / math.sqrt(inputs))
    nn.init.zeros_(layer.bias)
    return layer
