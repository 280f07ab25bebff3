"""Steps down clipped gradients, by Adam, Muon or with momentum; what they remember can be saved."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.nets.crew import Crew
from selfmate.nets.muon import Muon


class Descent:
    def __init__(
        self, net: torch.nn.Module, most_norm: float, *optimizers: torch.optim.Optimizer
    ) -> None:
        """The optimizers share out the parameters of the net."""
        self._net, self._most_norm, self._optimizers = net, most_norm, optimizers

    @classmethod
    def adam(cls, net: torch.nn.Module, most_norm: float, weight_decay: float = 0.0) -> Self:
        """Gradients longer than `most_norm`, all together, are shortened to it. Decay is apart from
        the gradient (AdamW)."""
        return cls(net, most_norm, _adam(net.parameters(), weight_decay))

    @classmethod
    def muon(
        cls,
        net: torch.nn.Module,
        most_norm: float,
        weight_decay: float,
        matrices: Sequence[Tensor],
    ) -> Self:
        """Muon for some matrices of the net, AdamW for all else."""
        muon = Muon(matrices, weight_decay=weight_decay)
        for matrix in matrices:
            muon.state[matrix] = {"momentum": torch.zeros_like(matrix)}
        chosen = set(map(id, matrices))
        rest = [parameter for parameter in net.parameters() if id(parameter) not in chosen]
        return cls(net, most_norm, muon, _adam(rest, weight_decay))

    @classmethod
    def sgd(
        cls, net: torch.nn.Module, most_norm: float, *, momentum: float, weight_decay: float
    ) -> Self:
        sgd = torch.optim.SGD(net.parameters(), momentum=momentum, weight_decay=weight_decay)
        for parameter in net.parameters():
            sgd.state[parameter] = {"momentum_buffer": torch.zeros_like(parameter)}
        return cls(net, most_norm, sgd)

    def gradient(self, loss: Tensor) -> float:
        """Takes the gradient of a loss, and returns its length before clipping."""
        return self.gradient_of_sum([loss])

    def gradient_of_sum(self, losses: Iterable[Tensor]) -> float:
        """That of all losses together. Each is let go before the next is asked for, so that the
        memory of one is enough for all."""
        self._net.zero_grad()
        for loss in losses:
            loss.backward()  # type: ignore[no-untyped-call]
        return self._clipped()

    def gradient_by(self, crew: Crew, losses: Iterable[Callable[[], Tensor]]) -> float:
        """That of all losses together as well, which are made and gone back through on the threads
        of a crew."""
        self._net.zero_grad()
        for gradient in crew.gradients(self._net, losses):
            for parameter, part in zip(self._net.parameters(), gradient, strict=True):
                parameter.grad = part if parameter.grad is None else parameter.grad.add_(part)
        return self._clipped()

    def _clipped(self) -> float:
        return float(torch.nn.utils.clip_grad_norm_(self._net.parameters(), self._most_norm))

    def step(self, learning_rate: float) -> None:
        """A step down the gradient."""
        for optimizer in self._optimizers:
            for group in optimizer.param_groups:
                group["lr"] = learning_rate
            optimizer.step()

    def tensors(self) -> dict[str, Tensor]:
        """What is remembered of earlier gradients, in place."""
        return {
            f"{name}.{key}": tensor
            for name, parameter in self._net.named_parameters()
            for optimizer in self._optimizers
            for key, tensor in optimizer.state.get(parameter, {}).items()
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


def _adam(parameters: Iterable[Tensor], weight_decay: float) -> torch.optim.AdamW:
    adam = torch.optim.AdamW(parameters, weight_decay=weight_decay, fused=True)
    for parameter in adam.param_groups[0]["params"]:
        adam.state[parameter] = {
            "step": torch.zeros((), device=parameter.device),
            "exp_avg": torch.zeros_like(parameter),
            "exp_avg_sq": torch.zeros_like(parameter),
        }
    return adam
