"""Convolutions over boards, made by the core: in less than half of torch's time, and bit for bit
the same on any number of threads and in any batch."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from selfmate import _core
from selfmate.nets.numbers import numbers_of


class BoardConvolution(nn.Conv2d):
    """3x3 over boards [B, C, 8, 8], zero beyond their edges, without a bias.

    It is quickest with channels last in memory, and that is how it answers. What is not float32 on
    a processor that the core was made for is left to torch.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__(inputs, outputs, 3, padding=1, bias=False)

    def forward(self, boards: Tensor) -> Tensor:
        if not (_core.processor_is_wide() and boards.is_cpu and boards.dtype == torch.float32):
            return super().forward(boards)
        made: Tensor = _Convolve.apply(boards, self.weight)  # type: ignore[no-untyped-call]
        return made


class _Convolve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, boards: Tensor, weight: Tensor) -> Tensor:
        ctx.save_for_backward(boards, weight)
        return _convolved(boards, _core.winograd_weights(numbers_of(weight)), len(weight))

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor | None, Tensor]:
        (gradient,) = gradients
        boards, weight = ctx.saved_tensors
        of_weight = _core.convolution_gradient(
            _squares(boards), _squares(gradient), torch.get_num_threads()
        )
        of_boards = None
        if ctx.needs_input_grad[0]:
            back = _core.winograd_weights(numbers_of(weight), back=True)
            of_boards = _convolved(gradient, back, boards.shape[1])
        return of_boards, torch.from_numpy(of_weight)


def _convolved(boards: Tensor, weights: NDArray[np.float32], outputs: int) -> Tensor:
    made = torch.empty((len(boards), 8, 8, outputs))
    _core.convolve(_squares(boards), weights, made.numpy(), torch.get_num_threads())
    return made.permute(0, 3, 1, 2)


def _squares(boards: Tensor) -> NDArray[np.float32]:
    """[B, 8, 8, C], copied only if the channels do not come last in memory."""
    return numbers_of(boards.permute(0, 2, 3, 1))
