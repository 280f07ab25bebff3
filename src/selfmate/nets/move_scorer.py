"""A score for each move of a position: what both have in common is computed once.

The first layer sees position and move side by side. A product with two vectors side by side is the
sum of two products, so the position's is made once for all its moves.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from selfmate.nets.sparse import GroupedLinear, SparseLinear
from selfmate.nets.threads import one_thread
from selfmate.rules.ragged import SparseRows

BLOCK_ROWS = 128  # three positions' moves; 32 take a third longer


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """Positions and the moves to be scored in each, which has at least one."""

    positions: SparseRows  # [B]
    is_white: NDArray[np.bool_]  # [B] who is to move
    moves: SparseRows  # [N]
    offsets: NDArray[np.int64]  # [B + 1] position i has the moves offsets[i] to offsets[i + 1]


@dataclass(frozen=True, kw_only=True)
class MoveScorerShape:
    position_inputs: int
    move_inputs: int
    hidden: tuple[int, ...]
    value_head: bool = False


class MoveScorer(torch.nn.Module):
    def __init__(self, shape: MoveScorerShape) -> None:
        super().__init__()
        self.shape = shape
        width = shape.hidden[0]
        self.position = SparseLinear(shape.position_inputs, width)
        self.move = GroupedLinear(shape.move_inputs, width)
        self.hidden = torch.nn.ModuleList(torch.nn.Linear(*pair) for pair in pairwise(shape.hidden))
        self.score = torch.nn.Linear(shape.hidden[-1], 1)
        self.value = ValueHead(width) if shape.value_head else None

    def forward(self, asked: Candidates) -> tuple[Tensor, Tensor | None]:
        """The scores [N] of all moves, and the values [B] of the positions if there is a head."""
        of_positions = self.position(asked.positions)
        scores = self._scored(self.move(asked.moves, asked.offsets, of_positions))
        if self.value is None:
            return scores, None
        return scores, self.value(of_positions, _column(asked.is_white))

    @torch.inference_mode()
    def scores(self, asked: Candidates) -> NDArray[np.float32]:
        """[N] As `forward`, and the same, bit for bit, in whatever batch a position is."""
        with one_thread():
            of_positions = self.position(asked.positions)
            first = self.move(asked.moves, asked.offsets, of_positions)
            return _in_blocks(self._scored, first)

    @torch.inference_mode()
    def values(
        self, positions: SparseRows, is_white: NDArray[np.bool_]
    ) -> NDArray[np.float32] | None:
        """[B] In White's view, the same in whatever batch; None without a value head."""
        if self.value is None:
            return None
        with one_thread():
            return _in_blocks(self.value, self.position(positions), _column(is_white))

    def _scored(self, level: Tensor) -> Tensor:
        level = torch.relu(level)
        for layer in self.hidden:
            level = torch.relu(layer(level))
        scores: Tensor = self.score(level)
        return scores[:, 0]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights, in place: who writes to them changes the net."""
        return {name: tensor.detach().numpy() for name, tensor in self.state_dict().items()}

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Takes over weights of the same layout."""
        for name, array in self.arrays().items():
            array[...] = weights[name]


class ValueHead(torch.nn.Module):
    """What White can expect, -1 to 1, from what the first layer says of positions and the turn."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.turn = torch.nn.Linear(1, width, bias=False)
        self.out = torch.nn.Linear(width, 1)

    def forward(self, of_positions: Tensor, is_white: Tensor) -> Tensor:
        level = torch.relu(of_positions + self.turn(is_white))
        values: Tensor = self.out(level)
        return torch.tanh(values[:, 0])


def _column(flags: NDArray[np.bool_]) -> Tensor:
    return torch.from_numpy(flags.astype(np.float32))[:, None]


def _in_blocks(function: Callable[..., Tensor], *inputs: Tensor) -> NDArray[np.float32]:
    """The function of all rows, made in blocks of one size: of a dense product the last bits change
    with the number of rows."""
    blocks = zip(*map(_blocks, inputs), strict=True)
    found = torch.cat([function(*block) for block in blocks])[: len(inputs[0])]
    values: NDArray[np.float32] = found.numpy()
    return values


def _blocks(rows: Tensor) -> list[Tensor]:
    """Of BLOCK_ROWS each, the last one filled up."""
    *whole, last = torch.split(rows, BLOCK_ROWS)
    return [*whole, pad(last, (0, 0, 0, BLOCK_ROWS - len(last)))]
