"""The move scorer: one score per legal move of a position, and optionally a value of the position.

The first layer takes position and move concatenated. Its product is the sum of a product with the
position and one with the move, so the position's is computed once for all its moves.
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

import selfmate._core as core
from selfmate.encodings.features import Candidates
from selfmate.nets.config import MoveScorerConfig
from selfmate.nets.optim import one_thread
from selfmate.nets.sparse import GroupedLinear, SparseLinear
from selfmate.rules import SparseRows

Weights = Mapping[str, NDArray[np.float32]]  # by name

BLOCK_ROWS = 128  # the moves of about three positions; blocks of 32 take a third longer


class MoveScorer(torch.nn.Module):
    def __init__(self, config: MoveScorerConfig, *, position_inputs: int, move_inputs: int) -> None:
        super().__init__()
        self.config = config
        hidden = config.hidden
        self.position = SparseLinear(position_inputs, hidden[0])
        self.move = GroupedLinear(move_inputs, hidden[0])
        self.hidden = torch.nn.ModuleList(torch.nn.Linear(*pair) for pair in pairwise(hidden))
        self.score = torch.nn.Linear(hidden[-1], 1)
        self.value = ValueHead(hidden[0]) if config.value_head else None

    def forward(self, asked: Candidates) -> tuple[Tensor, Tensor | None]:
        """The scores [N] of all moves, which are logits of the policy, and the values [B] of the
        positions in White's view; None without a value head."""
        positions = self.position(asked.positions)
        scores = self._scores(self.move(asked.moves, asked.offsets, positions))
        if self.value is None:
            return scores, None
        return scores, self.value(positions, _column(asked.is_white))

    @torch.inference_mode()
    def scores(self, asked: Candidates) -> NDArray[np.float32]:
        """[N] As `forward`, and a position's scores are the same, bit for bit, in any batch."""
        with one_thread():
            positions = self.position(asked.positions)
            first = self.move(asked.moves, asked.offsets, positions)
            return _in_blocks(self._scores, first)

    @torch.inference_mode()
    def values(
        self, positions: SparseRows, is_white: NDArray[np.bool_]
    ) -> NDArray[np.float32] | None:
        """[B] In White's view, the same in any batch; None without a value head."""
        if self.value is None:
            return None
        with one_thread():
            return _in_blocks(self.value, self.position(positions), _column(is_white))

    def _scores(self, first: Tensor) -> Tensor:
        """[N] From the first layer's output [N, width], before its ReLU."""
        output = torch.relu(first)
        for layer in self.hidden:
            output = torch.relu(layer(output))
        scores: Tensor = self.score(output)
        return scores[:, 0]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights by name, sharing memory with the net: writing to them changes it."""
        return {name: tensor.detach().numpy() for name, tensor in self.state_dict().items()}

    def take(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Copies weights of the same names and shapes into the net."""
        for name, array in self.arrays().items():
            array[...] = weights[name]


class ValueHead(torch.nn.Module):
    """The expected result in White's view, -1 to 1, from the first layer's output and the turn."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.turn = torch.nn.Linear(1, width, bias=False)
        self.out = torch.nn.Linear(width, 1)

    def forward(self, positions: Tensor, is_white: Tensor) -> Tensor:
        output = torch.relu(positions + self.turn(is_white))
        values: Tensor = self.out(output)
        return torch.tanh(values[:, 0])


def _column(flags: NDArray[np.bool_]) -> Tensor:
    return torch.from_numpy(flags.astype(np.float32))[:, None]


def _in_blocks(function: Callable[..., Tensor], *inputs: Tensor) -> NDArray[np.float32]:
    """The function of all rows, computed in blocks of one size: the last bits of a dense product
    depend on the number of rows."""
    blocks = zip(*map(_blocks, inputs), strict=True)
    output = torch.cat([function(*block) for block in blocks])[: len(inputs[0])]
    values: NDArray[np.float32] = output.numpy()
    return values


def _blocks(rows: Tensor) -> list[Tensor]:
    """Blocks of BLOCK_ROWS rows, the last one padded."""
    *whole, last = torch.split(rows, BLOCK_ROWS)
    return [*whole, pad(last, (0, 0, 0, BLOCK_ROWS - len(last)))]


@dataclass(frozen=True)
class PolicyLoss:
    """The loss of REINFORCE: sums over plies."""

    policy: float  # of -w * A * log pi(move)
    value: float  # of the value head's squared errors
    total: float  # with the weight of the value head and the entropy bonus
    gradient: Weights  # of the total loss, divided by `divisor`


def policy_gradient(  # noqa: PLR0913 - what determines the loss
    net: MoveScorer,
    games: Mapping[str, NDArray[Any]],
    rows: NDArray[np.int64],
    *,
    temperature: float,
    baseline: float,
    value_weight: float,
    entropy_bonus: float,
    max_importance_weight: float,
    divisor: float,
) -> PolicyLoss:
    """Of some plies of sampled games, the columns of `SampledGames`. The baseline is for nets
    without a value head, in White's view. The core computes it (core/learn/policy_gradient.h), as
    it does in a browser."""
    config = net.config
    return PolicyLoss(
        *core.policy_gradient(
            net.arrays(),
            dict(games),
            rows,
            encoding=config.encoding,
            hidden=config.hidden,
            value_head=config.value_head,
            temperature=temperature,
            baseline=baseline,
            value_weight=value_weight,
            entropy_bonus=entropy_bonus,
            max_importance_weight=max_importance_weight,
            divisor=divisor,
        )
    )
