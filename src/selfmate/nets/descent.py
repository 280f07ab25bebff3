"""Steps down clipped gradients, by Adam or with momentum; what they remember can be saved."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

import torch
from numpy.typing import NDArray
from torch import Tensor


class Descent:
    def __init__(
        self, net: torch.nn.Module, optimizer: torch.optim.Optimizer, most_norm: float
    ) -> None:
        self._net, self._optimizer, self._most_norm = net, optimizer, most_norm

    @classmethod
    def adam(cls, net: torch.nn.Module, most_norm: float, weight_decay: float = 0.0) -> Self:
        """Gradients longer than `most_norm`, all together, are shortened to it. Decay is apart from
        the gradient (AdamW)."""
        adam = torch.optim.AdamW(net.parameters(), weight_decay=weight_decay, fused=True)
        for parameter in net.parameters():
            adam.state[parameter] = {
                "step": torch.zeros((), device=parameter.device),
                "exp_avg": torch.zeros_like(parameter),
                "exp_avg_sq": torch.zeros_like(parameter),
            }
        return cls(net, adam, most_norm)

    @classmethod
    def sgd(
        cls, net: torch.nn.Module, most_norm: float, *, momentum: float, weight_decay: float
    ) -> Self:
        sgd = torch.optim.SGD(net.parameters(), momentum=momentum, weight_decay=weight_decay)
        for parameter in net.parameters():
            sgd.state[parameter] = {"momentum_buffer": torch.zeros_like(parameter)}
        return cls(net, sgd, most_norm)

    def gradient(self, loss: Tensor) -> float:
        """Takes the gradient of a loss, and returns its length before clipping."""
        return self.gradient_of_sum([loss])

    def gradient_of_sum(self, losses: Iterable[Tensor]) -> float:
        """That of all losses together. Each is let go before the next is asked for, so that the
        memory of one is enough for all."""
        self._optimizer.zero_grad()
        for loss in losses:
            loss.backward()  # type: ignore[no-untyped-call]
        return float(torch.nn.utils.clip_grad_norm_(self._net.parameters(), self._most_norm))

    def step(self, learning_rate: float) -> None:
        """A step down the gradient."""
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate
        self._optimizer.step()

    def tensors(self) -> dict[str, Tensor]:
        """What is remembered of earlier gradients, in place."""
        return {
            f"{name}.{key}": tensor
            for name, parameter in self._net.named_parameters()
            for key, tensor in self._optimizer.state[parameter].items()
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The same as arrays; in place, if the net is not on another device."""
        return {name: tensor.cpu().numpy() for name, tensor in self.tensors().items()}

    def take(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Remembers what `arrays` returned once."""
        for name, tensor in self.tensors().items():
            tensor.copy_(torch.tensor(arrays[name]))

    def forget(self) -> None:
        """As if there had been no step."""
        for tensor in self.tensors().values():
            tensor.zero_()
