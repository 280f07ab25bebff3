"""Layers whose inputs are mostly zero, or whose outputs are mostly not asked for.

Their products are made by the core, several times faster than with dense matrices, and bit for bit
the same on any number of threads.
"""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate import _core
from selfmate.nets.numbers import numbers_of
from selfmate.rules.ragged import Ragged, SparseRows


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
    """y = x W + b for sparse rows x that come in groups, each group with a b of its own."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = _uniform((inputs, outputs), inputs)

    def forward(self, rows: SparseRows, offsets: NDArray[np.int64], of_groups: Tensor) -> Tensor:
        """Group i has the rows offsets[i] to offsets[i + 1], and adds row i of `of_groups`."""
        inputs = len(self.weight)
        # The groups' rows stand below the weights, and each x has a one in the column of its own.
        groups = np.repeat(np.arange(inputs, inputs + len(of_groups)), np.diff(offsets))
        matrix = torch.cat([self.weight, of_groups])
        product: Tensor = _SparseTimes.apply(  # type: ignore[no-untyped-call]
            matrix, _with_first_columns(rows, groups)
        )
        return product


class PickedLinear(torch.nn.Module):
    """Of y = x W' + b only some outputs of each row."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = _uniform((outputs, inputs), inputs)
        self.bias = _uniform((outputs,), inputs)

    def forward(self, inputs: Tensor, picked: Ragged) -> Tensor:
        """[N] The outputs of all rows end to end."""
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
        products = _core.products_at(
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
        of_outputs = numbers_of(gradients[0])
        rows = SparseRows(picked.values, of_outputs, picked.offsets)
        of_bias = np.bincount(picked.values, of_outputs, len(weight)).astype(np.float32)
        return (
            _times(rows, weight),
            _transposed_times(rows, inputs, len(weight)),
            torch.from_numpy(of_bias),
            None,
        )


def _with_first_columns(rows: SparseRows, columns: NDArray[np.int64]) -> SparseRows:
    """Each row with a one more, in this column."""
    starts = rows.offsets[:-1]
    return SparseRows(
        np.insert(rows.columns, starts, columns),
        np.insert(rows.values, starts, 1),
        rows.offsets + np.arange(len(rows.offsets)),
    )


def _times(rows: SparseRows, matrix: Tensor) -> Tensor:
    product = _core.sparse_times(
        rows.columns, rows.values, rows.offsets, numbers_of(matrix), torch.get_num_threads()
    )
    return torch.from_numpy(product)


def _transposed_times(rows: SparseRows, matrix: Tensor, height: int) -> Tensor:
    product = _core.sparse_transposed_times(
        rows.columns, rows.values, rows.offsets, numbers_of(matrix), height, torch.get_num_threads()
    )
    return torch.from_numpy(product)


def _uniform(shape: tuple[int, ...], inputs: int) -> torch.nn.Parameter:
    """As torch's own linear layers begin."""
    bound = 1 / math.sqrt(inputs)
    return torch.nn.Parameter(torch.empty(shape).uniform_(-bound, bound))
