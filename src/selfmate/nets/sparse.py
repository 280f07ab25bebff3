"""Layers for sparse inputs and for rows of uneven length, such as the legal moves of positions.

Linear layers take sparse inputs or give few requested outputs; softmax and sums go row by row.
The core computes their products several times faster than dense matrices would, and bit for bit the
same on any number of threads.
"""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

import selfmate._core as core
from selfmate.nets.optim import numbers_of
from selfmate.nets.softmax import Offsets, log_probabilities, row_sums, spread_rows
from selfmate.rules import Ragged, SparseRows


class SparseLinear(torch.nn.Module):
    """y = x W + b for sparse rows x."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = _uniform((inputs, outputs), inputs)
        self.bias = _uniform((outputs,), inputs)

    def forward(self, rows: SparseRows) -> Tensor:
        product: Tensor = _SparseTimes.apply(self.weight, rows)  # type: ignore[no-untyped-call]
        return product + self.bias


class GroupedLinear(torch.nn.Module):
    """y = x W + b for sparse rows x in groups, each group with its own b."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = _uniform((inputs, outputs), inputs)

    def forward(self, rows: SparseRows, offsets: NDArray[np.int64], biases: Tensor) -> Tensor:
        """Group i has the rows offsets[i] to offsets[i + 1] and adds row i of `biases`."""
        inputs = len(self.weight)
        # The biases are rows below the weights; each x has a one in the column of its group's bias.
        groups = np.repeat(np.arange(inputs, inputs + len(biases)), np.diff(offsets))
        matrix = torch.cat([self.weight, biases])
        product: Tensor = _SparseTimes.apply(  # type: ignore[no-untyped-call]
            matrix, _with_first_columns(rows, groups)
        )
        return product


class PickedLinear(torch.nn.Module):
    """y = x W' + b, only for the requested outputs of each row."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = _uniform((outputs, inputs), inputs)
        self.bias = _uniform((outputs,), inputs)

    def forward(self, inputs: Tensor, picked: Ragged) -> Tensor:
        """[N] The picked outputs of all rows, end to end."""
        products: Tensor = _PickedProducts.apply(  # type: ignore[no-untyped-call]
            inputs, self.weight, self.bias, picked
        )
        return products


class _SparseTimes(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Tensor, rows: SparseRows) -> Tensor:
        ctx.rows, ctx.height = rows, len(weight)
        return _times(rows, weight)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return _transposed_times(ctx.rows, gradients[0], ctx.height), None


class _PickedProducts(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weight: Tensor, bias: Tensor, picked: Ragged) -> Tensor:
        ctx.picked = picked
        ctx.save_for_backward(inputs, weight)
        products = core.products_at(
            picked.values,
            picked.offsets,
            numbers_of(inputs),
            numbers_of(weight),
            torch.get_num_threads(),
        )
        products += numbers_of(bias)[picked.values]
        return torch.from_numpy(products)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        inputs, weight = ctx.saved_tensors
        picked: Ragged = ctx.picked
        gradient = numbers_of(gradients[0])
        rows = SparseRows(picked.values, gradient, picked.offsets)
        bias_gradient = np.bincount(picked.values, gradient, len(weight)).astype(np.float32)
        return (
            _times(rows, weight),
            _transposed_times(rows, inputs, len(weight)),
            torch.from_numpy(bias_gradient),
            None,
        )


def _with_first_columns(rows: SparseRows, columns: NDArray[np.int64]) -> SparseRows:
    """Each row with an additional one in the given column."""
    starts = rows.offsets[:-1]
    return SparseRows(
        np.insert(rows.columns, starts, columns),
        np.insert(rows.values, starts, 1),
        rows.offsets + np.arange(len(rows.offsets)),
    )


def _times(rows: SparseRows, matrix: Tensor) -> Tensor:
    product = core.sparse_times(
        rows.columns, rows.values, rows.offsets, numbers_of(matrix), torch.get_num_threads()
    )
    return torch.from_numpy(product)


def _transposed_times(rows: SparseRows, matrix: Tensor, height: int) -> Tensor:
    product = core.sparse_transposed_times(
        rows.columns, rows.values, rows.offsets, numbers_of(matrix), height, torch.get_num_threads()
    )
    return torch.from_numpy(product)


def _uniform(shape: tuple[int, ...], inputs: int) -> torch.nn.Parameter:
    """The initialisation of torch's linear layers."""
    bound = 1 / math.sqrt(inputs)
    return torch.nn.Parameter(torch.empty(shape).uniform_(-bound, bound))


def log_softmax(scores: Tensor, offsets: Offsets) -> Tensor:
    """[N] Log-probabilities of the softmax over each row."""
    log_probs: Tensor = _LogSoftmax.apply(scores, offsets)  # type: ignore[no-untyped-call]
    return log_probs


def spread(per_row: Tensor, offsets: Offsets) -> Tensor:
    """[B] -> [N] Repeats each row's number for all values of the row."""
    values: Tensor = _Spread.apply(per_row, offsets)  # type: ignore[no-untyped-call]
    return values


class _LogSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, offsets: Offsets) -> Tensor:
        values: NDArray[np.float32] = scores.detach().numpy()
        log_probs = log_probabilities(values, offsets)
        ctx.offsets, ctx.probabilities = offsets, np.exp(log_probs)
        return torch.from_numpy(log_probs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        gradient: NDArray[np.float32] = gradients[0].numpy()
        sums = spread_rows(row_sums(gradient, ctx.offsets), ctx.offsets)
        return torch.from_numpy(gradient - ctx.probabilities * sums), None


class _Spread(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, per_row: Tensor, offsets: Offsets) -> Tensor:
        ctx.offsets = offsets
        return torch.from_numpy(spread_rows(per_row.detach().numpy(), offsets))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return torch.from_numpy(row_sums(gradients[0].numpy(), ctx.offsets)), None
