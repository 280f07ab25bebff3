"""The sparse net: a wide first layer over the pieces that each side sees, and small heads.

It is made to be evaluated in the core in whole numbers (core/nets/sparse_net.h), a hundred times as
fast as a residual net, so that a tree search sees a hundred times as many positions. A position has
some 32 inputs that are not zero and some 30 legal moves; all others cost nothing.

    a_s = clip(bias + sum of the rows of the features that side s sees, 0, 1)^2      [accumulator]
    a   = a_mover, a_opponent
    policy logit of a move = clip(P a, -4, 4) . (row of its squares + of its piece and destination
                                                 + of its kind) + their biases
    win, draw, loss = softmax(V2 clip(V1 clip(V0 a, 0, 1), 0, 1))
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.encodings.features import (
    UNDERPROMOTION_ROWS,
    VIEW_MOVE_ROWS,
    Packed,
    view_move_rows,
    views_of,
)
from selfmate.nets.config import SparseNetConfig
from selfmate.nets.sparse import PickedLinear, SparseLinear
from selfmate.rules import Ragged, SparseRows

OUTCOMES = 3
# What the core's whole numbers can hold, as fractions of 256 (activations, inputs) and 512 (moves).
MAX_ACTIVATION, MAX_POLICY = 255 / 256, 1023 / 256
MAX_INPUT_WEIGHT, MAX_MOVE_WEIGHT = 474 / 256, 5461 / 512
UNDERPROMOTION_LOGIT = -4.0
# So that accumulators are not all zero at first: about a third of the range of activations.
FIRST_BIAS = 0.3


@dataclass(frozen=True, kw_only=True)
class SparseInputs:
    """B positions with N legal moves in all, as a sparse net reads them."""

    views: SparseRows  # 2 B rows: the mover's and the opponent's of each position
    move_rows: NDArray[np.int32]  # [N, 3]
    offsets: NDArray[np.int64]  # [B + 1] position i has the moves offsets[i] to offsets[i + 1]

    def __len__(self) -> int:
        return len(self.offsets) - 1


class SparseNet(torch.nn.Module):
    def __init__(self, config: SparseNetConfig) -> None:
        super().__init__()
        self.config = config
        width, value_width = 2 * config.accumulator, config.value_width
        self.accumulator = SparseLinear(config.inputs, config.accumulator)
        self.policy = torch.nn.Linear(width, config.policy_width)
        self.value = torch.nn.ModuleList(
            torch.nn.Linear(*shape)
            for shape in ((width, value_width), (value_width, value_width), (value_width, OUTCOMES))
        )
        self.moves = PickedLinear(config.policy_width, VIEW_MOVE_ROWS)
        with torch.no_grad():
            # About 32 inputs are summed up, however many there are.
            self.accumulator.weight.uniform_(-0.1, 0.1)
            self.accumulator.bias.fill_(FIRST_BIAS)
            # A new net knows nothing: all moves, and all results, are equally likely.
            for parameter in (*self.moves.parameters(), *self.value[-1].parameters()):
                parameter.zero_()

    def inputs_of(self, packed: Packed, action_encoding: str, legal: Ragged) -> SparseInputs:
        """What the net reads of packed positions and their legal moves, given as actions of az4672,
        or of from_to4096 in the mover's view."""
        config = self.config
        return SparseInputs(
            views=views_of(packed, king_buckets=config.king_buckets, attacks=config.attacks),
            move_rows=view_move_rows(packed, action_encoding, legal),
            offsets=legal.offsets,
        )

    def forward(self, inputs: SparseInputs) -> tuple[Tensor, Tensor]:
        """[N] The moves' logits, and [B, 3] those of win, draw and loss."""
        sums = self.accumulator(inputs.views).view(len(inputs), 2 * self.config.accumulator)
        active = sums.clamp(0, MAX_ACTIVATION).square()
        return self._logits(active, inputs), self._value(active)

    def _logits(self, active: Tensor, inputs: SparseInputs) -> Tensor:
        policy = self.policy(active).clamp(-MAX_POLICY, MAX_POLICY)
        rows = inputs.move_rows
        picked = Ragged(rows.ravel(), rows.shape[1] * inputs.offsets)
        logits: Tensor = self.moves(policy, picked).view(rows.shape).sum(1)
        return logits

    def _value(self, active: Tensor) -> Tensor:
        first, second, last = self.value
        hidden = first(active).clamp(0, MAX_ACTIVATION)
        logits: Tensor = last(second(hidden).clamp(0, MAX_ACTIVATION))
        return logits

    @torch.no_grad()
    def discourage_underpromotion(self) -> None:
        """For lessons that do not tell promotions apart: what is not a queen becomes unlikely."""
        self.moves.bias[UNDERPROMOTION_ROWS] = UNDERPROMOTION_LOGIT

    @torch.no_grad()
    def clip_weights(self) -> None:
        """Keeps the weights within what the core can hold; after every update."""
        self.accumulator.weight.clamp_(-MAX_INPUT_WEIGHT, MAX_INPUT_WEIGHT)
        self.accumulator.bias.clamp_(-MAX_INPUT_WEIGHT, MAX_INPUT_WEIGHT)
        self.moves.weight.clamp_(-MAX_MOVE_WEIGHT, MAX_MOVE_WEIGHT)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights by name, sharing memory with the net: writing to them changes it."""
        return {name: tensor.detach().numpy() for name, tensor in self.state_dict().items()}

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Copies weights of the same names and shapes into the net."""
        for name, array in self.arrays().items():
            array[...] = weights[name]
