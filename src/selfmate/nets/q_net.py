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
from selfmate.rules.ragged import Ragged, SparseRows


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
        self.value = torch.nn.Linear(shape.hidden[-1], 1) if shape.dueling else None

    def forward(self, positions: SparseRows, asked: Ragged) -> Tensor:
        """[N] The values of the asked actions, row after row.

        A dueling net needs all legal actions of a row to be asked for: it compares them."""
        level = torch.relu(self.first(positions))
        for layer in self.hidden:
            level = torch.relu(layer(level))
        values: Tensor = self.actions(level, asked)
        if self.value is None:
            return values
        means = row_sums(values, asked.offsets) / torch.from_numpy(asked.counts)
        worth: Tensor = self.value(level).squeeze(1) - means
        return values + spread(worth, asked.offsets)

    @torch.inference_mode()
    def values(self, positions: SparseRows, asked: Ragged) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self(positions, asked).numpy()
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights, in place: who writes to them changes the net."""
        return {name: tensor.detach().numpy() for name, tensor in self.state_dict().items()}

    def same_as(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Takes over weights of the same layout."""
        for name, array in self.arrays().items():
            array[...] = weights[name]
