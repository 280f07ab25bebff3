"""A value for each action that is asked for: sparse inputs, hidden layers, one output an action."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.nets.ragged import row_sums, spread
from selfmate.nets.sparse import PickedLinear, SparseLinear
from selfmate.nets.threads import one_thread
from selfmate.rules.ragged import Ragged, SparseRows

BLOCK_ROWS = 32  # few enough for one row to be quick; 256 take a third longer than in one product


@dataclass(frozen=True, kw_only=True)
class QNetShape:
    inputs: int
    hidden: tuple[int, ...]
    actions: int
    dueling: bool = False  # a value of the position, and how much better or worse each action is


class QNet(torch.nn.Module):
    def __init__(self, shape: QNetShape) -> None:
        super().__init__()
        self.shape = shape
        self.first = SparseLinear(shape.inputs, shape.hidden[0])
        self.hidden = torch.nn.ModuleList(torch.nn.Linear(*pair) for pair in pairwise(shape.hidden))
        self.actions = PickedLinear(shape.hidden[-1], shape.actions)
        self.value = PickedLinear(shape.hidden[-1], 1) if shape.dueling else None

    def forward(self, positions: SparseRows, asked: Ragged) -> Tensor:
        """[N] The values of the asked actions, row after row.

        A dueling net needs all legal actions of a row to be asked for: it compares them."""
        return self._values_at(self._deepened(self._first_level(positions)), asked)

    @torch.inference_mode()
    def values(self, positions: SparseRows, asked: Ragged) -> NDArray[np.float32]:
        """[N] As `forward`, and a row's values are the same, bit for bit, in whatever batch it is.

        The core's products are made row by row, but the last bits of a dense one change with the
        number of rows and of threads. So those are made in blocks of one size, on one thread.
        """
        with one_thread():
            blocks = torch.split(self._first_level(_in_whole_blocks(positions)), BLOCK_ROWS)
            level = torch.cat([self._deepened(block) for block in blocks])[: len(positions)]
            found: NDArray[np.float32] = self._values_at(level, asked).numpy()
        return found

    def _first_level(self, positions: SparseRows) -> Tensor:
        return torch.relu(self.first(positions))

    def _deepened(self, level: Tensor) -> Tensor:
        for layer in self.hidden:
            level = torch.relu(layer(level))
        return level

    def _values_at(self, level: Tensor, asked: Ragged) -> Tensor:
        values: Tensor = self.actions(level, asked)
        if self.value is None:
            return values
        rows = len(asked)
        only_output = Ragged(np.zeros(rows, np.int32), np.arange(rows + 1))
        means = row_sums(values, asked.offsets) / torch.from_numpy(asked.counts)
        return values + spread(self.value(level, only_output) - means, asked.offsets)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights, in place: who writes to them changes the net."""
        return {name: tensor.detach().numpy() for name, tensor in self.state_dict().items()}

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Takes over weights of the same layout."""
        for name, array in self.arrays().items():
            array[...] = weights[name]


def _in_whole_blocks(rows: SparseRows) -> SparseRows:
    """Filled up with empty rows."""
    missing = np.full(-len(rows) % BLOCK_ROWS, rows.offsets[-1])
    return SparseRows(rows.columns, rows.values, np.concatenate([rows.offsets, missing]))
