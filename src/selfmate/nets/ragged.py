"""Sums and softmax over rows of uneven length, none of them empty, with their gradients.

Torch's own scattering adds up in any order on several threads; these give the same every time.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.rules.ragged import Ragged

Offsets = NDArray[np.int64]  # [B + 1]


def log_softmax(scores: Tensor, offsets: Offsets) -> Tensor:
    """[N] The logarithm of each score's share in its row."""
    shares: Tensor = _LogSoftmax.apply(scores, offsets)  # type: ignore[no-untyped-call]
    return shares


def row_sums(values: Tensor, offsets: Offsets) -> Tensor:
    """[B] The sum of each row."""
    sums: Tensor = _RowSums.apply(values, offsets)  # type: ignore[no-untyped-call]
    return sums


def spread(of_rows: Tensor, offsets: Offsets) -> Tensor:
    """[N] A row's number [B] for every value of the row."""
    values: Tensor = _Spread.apply(of_rows, offsets)  # type: ignore[no-untyped-call]
    return values


def mass_of(logits: NDArray[np.float32], chosen: Ragged) -> NDArray[np.float64]:
    """[B] The probability of each row's chosen columns together, among all of logits [B, A]."""
    weights = np.exp(logits.astype(np.float64) - logits.max(1, keepdims=True))
    at_chosen = weights[chosen.rows, chosen.values]
    mass: NDArray[np.float64] = np.add.reduceat(at_chosen, chosen.offsets[:-1]) / weights.sum(1)
    return mass


class _LogSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, offsets: Offsets) -> Tensor:
        values: NDArray[np.float32] = scores.detach().numpy()
        below = values - _spread(np.maximum.reduceat(values, offsets[:-1]), offsets)
        logs = below - _spread(np.log(_sums(np.exp(below), offsets)), offsets)
        ctx.offsets, ctx.shares = offsets, np.exp(logs)
        return torch.from_numpy(logs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        of_logs: NDArray[np.float32] = gradients[0].numpy()
        sums = _spread(_sums(of_logs, ctx.offsets), ctx.offsets)
        return torch.from_numpy(of_logs - ctx.shares * sums), None


class _RowSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, offsets: Offsets) -> Tensor:
        ctx.offsets = offsets
        return torch.from_numpy(_sums(values.detach().numpy(), offsets))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return torch.from_numpy(_spread(gradients[0].numpy(), ctx.offsets)), None


class _Spread(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, of_rows: Tensor, offsets: Offsets) -> Tensor:
        ctx.offsets = offsets
        return torch.from_numpy(_spread(of_rows.detach().numpy(), offsets))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return torch.from_numpy(_sums(gradients[0].numpy(), ctx.offsets)), None


def _sums(values: NDArray[np.float32], offsets: Offsets) -> NDArray[np.float32]:
    sums: NDArray[np.float32] = np.add.reduceat(values, offsets[:-1])
    return sums


def _spread(of_rows: NDArray[np.float32], offsets: Offsets) -> NDArray[np.float32]:
    return np.repeat(of_rows, np.diff(offsets))
