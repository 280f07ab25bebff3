"""The Q-net: sparse inputs, hidden layers, and one value per action that is asked for."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.encodings import ACTION_ENCODINGS
from selfmate.encodings.features import ACTION_ENCODING, MOVE_ROWS, Packed, inputs_of, move_rows
from selfmate.nets.config import Q_NET_INPUTS, QNetConfig
from selfmate.nets.optim import one_thread
from selfmate.nets.sparse import PickedLinear, SparseLinear, spread
from selfmate.rules import Ragged, SparseRows, best_places

# Small enough for one row to be fast. 256 rows take a third longer than in a single product.
BLOCK_ROWS = 32


class QNet(torch.nn.Module):
    """Q(s, a) for the side to move. A dueling net (Wang et al. 2016, equation 8) has Q(s, a) =
    V(s) + A(s, a) - max of A(s, .) over the legal actions, so that V(s) is the value of the best
    action: the value of the position, which a search can use."""

    def __init__(self, config: QNetConfig) -> None:
        super().__init__()
        self.config = config
        hidden = config.hidden
        self.first = SparseLinear(Q_NET_INPUTS[config.inputs], hidden[0])
        self.hidden = torch.nn.ModuleList(torch.nn.Linear(*pair) for pair in pairwise(hidden))
        rows = MOVE_ROWS if config.move_kinds else ACTION_ENCODINGS[ACTION_ENCODING].size
        self.actions = PickedLinear(hidden[-1], rows)
        self.value = PickedLinear(hidden[-1], 1) if config.dueling else None

    def forward(self, positions: Packed, asked: Ragged) -> Tensor:
        """[N] The values of the asked actions of packed positions [B, 107], row after row.

        A dueling net must be asked for all legal actions of a row: it subtracts their maximum."""
        first = self._first_layer(inputs_of(positions, self.config.inputs))
        return self._values_at(self._hidden_layers(first), positions, asked)

    @torch.inference_mode()
    def values(self, positions: Packed, asked: Ragged) -> NDArray[np.float32]:
        """[N] As `forward`, and a row's values are the same, bit for bit, in any batch.

        The core computes sparse products row by row, but the last bits of a dense product depend on
        the number of rows and threads. So these are computed in blocks of one size, on one thread.
        """
        inputs = _in_whole_blocks(inputs_of(positions, self.config.inputs))
        with one_thread():
            blocks = torch.split(self._first_layer(inputs), BLOCK_ROWS)
            output = torch.cat([self._hidden_layers(block) for block in blocks])[: len(positions)]
            values: NDArray[np.float32] = self._values_at(output, positions, asked).numpy()
        return values

    def _first_layer(self, positions: SparseRows) -> Tensor:
        return torch.relu(self.first(positions))

    def _hidden_layers(self, output: Tensor) -> Tensor:
        for layer in self.hidden:
            output = torch.relu(layer(output))
        return output

    def _values_at(self, output: Tensor, positions: Packed, asked: Ragged) -> Tensor:
        values = self._advantages(output, positions, asked)
        if self.value is None:
            return values
        rows = len(asked)
        only_output = Ragged(np.zeros(rows, np.int32), np.arange(rows + 1))
        best = best_places(values.detach().numpy(), asked.offsets)
        highest = values[torch.from_numpy(best)]
        return values + spread(self.value(output, only_output) - highest, asked.offsets)

    def _advantages(self, output: Tensor, positions: Packed, asked: Ragged) -> Tensor:
        """[N] The products with the rows of weights that belong to each action."""
        if not self.config.move_kinds:
            products: Tensor = self.actions(output, asked)
            return products
        rows = move_rows(positions, asked)
        each: Tensor = self.actions(output, Ragged(rows.ravel(), rows.shape[1] * asked.offsets))
        return each.view(rows.shape).sum(1)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights by name, sharing memory with the net: writing to them changes it."""
        return {name: tensor.detach().numpy() for name, tensor in self.state_dict().items()}

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Copies weights of the same names and shapes into the net."""
        for name, array in self.arrays().items():
            array[...] = weights[name]


def _in_whole_blocks(rows: SparseRows) -> SparseRows:
    """Padded with empty rows to whole blocks."""
    missing = np.full(-len(rows) % BLOCK_ROWS, rows.offsets[-1])
    return SparseRows(rows.columns, rows.values, np.concatenate([rows.offsets, missing]))
