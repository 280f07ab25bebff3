"""Adam with clipped gradients, whose moments are saved and restored in place."""

from collections.abc import Iterable
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor


class Adam:
    def __init__(self, net: torch.nn.Module, most_norm: float) -> None:
        """Gradients longer than `most_norm`, all together, are shortened to it."""
        self._names = [name for name, _ in net.named_parameters()]
        self._parameters = list(net.parameters())
        self._most_norm = most_norm
        self._adam = torch.optim.Adam(self._parameters, fused=True)
        for parameter in self._parameters:
            self._adam.state[parameter] = {
                "step": torch.zeros(()),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }

    def gradient(self, loss: Tensor) -> float:
        """Takes the gradient of a loss, and returns its length before clipping."""
        return self.gradient_of_sum([loss])

    def gradient_of_sum(self, losses: Iterable[Tensor]) -> float:
        """That of all losses together. Each is let go before the next is asked for, so that the
        memory of one is enough for all."""
        self._adam.zero_grad()
        for loss in losses:
            loss.backward()  # type: ignore[no-untyped-call]
        return float(torch.nn.utils.clip_grad_norm_(self._parameters, self._most_norm))

    def step(self, learning_rate: float) -> None:
        """A step down the gradient."""
        for group in self._adam.param_groups:
            group["lr"] = learning_rate
        self._adam.step()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The moments in place."""
        return {
            f"{name}.{key}": tensor.numpy()
            for name, parameter in zip(self._names, self._parameters, strict=True)
            for key, tensor in self._adam.state[parameter].items()
        }
