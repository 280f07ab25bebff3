"""Muon (Jordan 2024): steps along momentum whose matrices are made nearly orthogonal, so that every
direction of a layer moves alike, not only those that most of the gradient points to."""

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # of the quintic: steep at 0, between 0.7 and 1.2 after
ITERATIONS = 5
LIKE_ADAM = 0.2  # the usual root mean square of a step by Adam at a learning rate of 1


def orthogonalised(matrix: Tensor) -> Tensor:
    """With the same singular vectors, and singular values of about 1 in place of its own."""
    if matrix.shape[0] > matrix.shape[1]:
        return orthogonalised(matrix.mT).mT
    a, b, c = COEFFICIENTS
    found: Tensor = matrix / (matrix.norm() + 1e-7)
    for _ in range(ITERATIONS):
        square = found @ found.T
        found = a * found + (b * square + c * square @ square) @ found
    return found


class Muon(torch.optim.Optimizer):
    """For weights of at least two dimensions; all but the first are one, as a convolution's are.

    A step has the length that Adam's would have, so that both take the same learning rates
    (Liu et al. 2025); decay is apart from the gradient.
    """

    def __init__(
        self, parameters: Iterable[Tensor], *, momentum: float = 0.95, weight_decay: float
    ) -> None:
        defaults = {"lr": 0.0, "momentum": momentum, "weight_decay": weight_decay}
        super().__init__(parameters, defaults)

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            rate, momentum, decay = group["lr"], group["momentum"], group["weight_decay"]
            for weight in group["params"]:
                direction = _direction(weight.grad, self.state[weight]["momentum"], momentum)
                length = LIKE_ADAM * math.sqrt(max(direction.shape))
                weight.mul_(1 - rate * decay)
                weight.add_(direction.view_as(weight), alpha=-rate * length)


def _direction(gradient: Tensor, memory: Tensor, momentum: float) -> Tensor:
    """Along the momentum as it will be (Nesterov's), after it took in the gradient."""
    memory.lerp_(gradient, 1 - momentum)
    return orthogonalised(gradient.lerp(memory, momentum).flatten(1))
