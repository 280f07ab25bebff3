"""Optimizers with gradient clipping, whose state can be saved: AdamW, Muon, SGD with momentum.

Also where torch computes: devices and threads."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from selfmate.nets.precision import LossScale


def check_device(name: str) -> None:
    """ValueError when this machine has no such device."""
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("there is no CUDA device here, or torch was built without CUDA: use cpu")


def placed(planes: NDArray[np.float32], device: torch.device) -> Tensor:
    """The array as a tensor on the device. A GPU gets it by way of pinned memory, without waiting
    for the copy."""
    rows = torch.from_numpy(planes)
    if device.type == "cpu":
        return rows
    return rows.pin_memory().to(device, non_blocking=True)


@contextmanager
def computing_threads(count: int) -> Iterator[None]:
    """Sets the number of threads that torch computes on, within `with` and in this thread. The last
    bits of a sum depend on it."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def one_thread() -> Iterator[None]:
    """Within `with`, sums are the same on machines of any number of cores."""
    with computing_threads(1):
        yield


def numbers_of(tensor: Tensor) -> NDArray[np.float32]:
    """The tensor as an array, copied only if it is not contiguous in memory."""
    numbers: NDArray[np.float32] = tensor.detach().contiguous().numpy()
    return numbers


Gradient = tuple[Tensor, ...]  # one tensor per parameter of the net, in their order


class GradientWorkers:
    """Threads that each compute the gradient of a loss of their own. This is faster than splitting
    every product among torch's threads, and the results are the same on any number of threads."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))

    def gradients(
        self, net: nn.Module, losses: Iterable[Callable[[], Tensor]], factor: float = 1.0
    ) -> Iterator[Gradient]:
        """The gradient of each loss times the factor, in the order of the losses."""
        parameters = list(net.parameters())

        def gradient_of(loss: Callable[[], Tensor]) -> Gradient:
            return torch.autograd.grad(factor * loss(), parameters)

        return self._pool.map(gradient_of, losses)


class Optimizer:
    def __init__(
        self, net: torch.nn.Module, max_grad_norm: float, *optimizers: torch.optim.Optimizer
    ) -> None:
        """Each parameter of the net belongs to one of the optimizers. Gradients are clipped to a
        global norm of `max_grad_norm`."""
        self._net, self._max_grad_norm, self._optimizers = net, max_grad_norm, optimizers
        self._factors = (1.0,) * len(optimizers)  # of the learning rate
        self.loss_scale: LossScale | None = None  # for gradients in fp16
        self.overflowed = False  # the last gradient, so that no step follows

    @classmethod
    def adam(cls, net: torch.nn.Module, max_grad_norm: float, weight_decay: float = 0.0) -> Self:
        """AdamW (Loshchilov and Hutter 2019) for all parameters."""
        return cls(net, max_grad_norm, _adam(net.parameters(), weight_decay))

    @classmethod
    def muon(
        cls,
        net: torch.nn.Module,
        max_grad_norm: float,
        weight_decay: float,
        matrices: Sequence[Tensor],
    ) -> Self:
        """Muon for these matrices of the net, AdamW for all other parameters."""
        muon = Muon(matrices, weight_decay=weight_decay)
        for matrix in matrices:
            muon.state[matrix] = {"momentum": torch.zeros_like(matrix)}
        chosen = set(map(id, matrices))
        rest = [parameter for parameter in net.parameters() if id(parameter) not in chosen]
        return cls(net, max_grad_norm, muon, _adam(rest, weight_decay))

    @classmethod
    def heads_first(
        cls, net: torch.nn.Module, max_grad_norm: float, heads: Sequence[Tensor]
    ) -> Self:
        """AdamW for these parameters, and for the rest of the net with learning rates that
        `slow_rest` scales: none at first."""
        chosen = set(map(id, heads))
        rest = [parameter for parameter in net.parameters() if id(parameter) not in chosen]
        made = cls(net, max_grad_norm, _adam(heads, 0.0), _adam(rest, 0.0))
        made._factors = (1.0, 0.0)
        return made

    def slow_rest(self, factor: float) -> None:
        """The learning rate of what is no head, as a fraction of the heads'."""
        self._factors = (1.0, factor)

    @classmethod
    def sgd(
        cls, net: torch.nn.Module, max_grad_norm: float, *, momentum: float, weight_decay: float
    ) -> Self:
        sgd = torch.optim.SGD(net.parameters(), momentum=momentum, weight_decay=weight_decay)
        for parameter in net.parameters():
            sgd.state[parameter] = {"momentum_buffer": torch.zeros_like(parameter)}
        return cls(net, max_grad_norm, sgd)

    def gradient(self, loss: Tensor) -> float:
        """Computes the gradient of a loss and clips it. Returns its norm before clipping."""
        return self.gradient_of_sum([loss])

    def gradient_of_sum(self, losses: Iterable[Tensor]) -> float:
        """As `gradient`, for the sum of losses. Each is freed before the next is computed, so that
        the memory for one is enough."""
        self._net.zero_grad()
        for loss in losses:
            loss.backward()  # type: ignore[no-untyped-call]
        return self._clip()

    def sum_of_gradients(self, gradients: Iterable[Mapping[str, NDArray[np.float32]]]) -> float:
        """As `gradient`, for the sum of gradients that were computed elsewhere, by name of the
        parameter."""
        self._net.zero_grad()
        for gradient in gradients:
            for name, parameter in self._net.named_parameters():
                part = torch.from_numpy(gradient[name])
                parameter.grad = part if parameter.grad is None else parameter.grad.add_(part)
        return self._clip()

    def gradient_in_parallel(
        self, workers: GradientWorkers, losses: Iterable[Callable[[], Tensor]]
    ) -> float:
        """As `gradient`, for the sum of losses that the workers compute and differentiate, scaled
        if there is a loss scale."""
        self._net.zero_grad()
        factor = 1.0 if self.loss_scale is None else float(self.loss_scale.factor)
        for gradient in workers.gradients(self._net, losses, factor):
            for parameter, part in zip(self._net.parameters(), gradient, strict=True):
                parameter.grad = part if parameter.grad is None else parameter.grad.add_(part)
        if self.loss_scale is None:
            return self._clip()
        self.loss_scale.unscale(of.grad for of in self._net.parameters() if of.grad is not None)
        norm = self._clip()
        self.overflowed = not math.isfinite(norm)
        self.loss_scale.update(overflow=self.overflowed)
        return norm

    def _clip(self) -> float:
        return float(torch.nn.utils.clip_grad_norm_(self._net.parameters(), self._max_grad_norm))

    def step(self, learning_rate: float) -> None:
        """Updates the net by the last gradient, unless that overflowed."""
        if self.overflowed:
            return
        for optimizer, factor in zip(self._optimizers, self._factors, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * factor
            optimizer.step()

    def tensors(self) -> dict[str, Tensor]:
        """The optimizers' state, such as momentum, by name; writing to it changes it."""
        moments = {
            f"{name}.{key}": tensor
            for name, parameter in self._net.named_parameters()
            for optimizer in self._optimizers
            for key, tensor in optimizer.state.get(parameter, {}).items()
        }
        return moments if self.loss_scale is None else moments | self.loss_scale.tensors()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """As `tensors`, as arrays. On the CPU they share memory with the state."""
        return {name: tensor.cpu().numpy() for name, tensor in self.tensors().items()}

    def take(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restores a state that `arrays` returned."""
        for name, tensor in self.tensors().items():
            tensor.copy_(torch.tensor(arrays[name]))

    def forget(self) -> None:
        """Resets the state, as if there had been no step."""
        for tensor in self.tensors().values():
            tensor.zero_()
        if self.loss_scale is not None:
            self.loss_scale.reset()


def _adam(parameters: Iterable[Tensor], weight_decay: float) -> torch.optim.AdamW:
    adam = torch.optim.AdamW(parameters, weight_decay=weight_decay, fused=True)
    for parameter in adam.param_groups[0]["params"]:
        adam.state[parameter] = {
            "step": torch.zeros((), device=parameter.device),
            "exp_avg": torch.zeros_like(parameter),
            "exp_avg_sq": torch.zeros_like(parameter),
        }
    return adam


# Newton-Schulz iterations of a quintic that is steep at 0 and stays between 0.7 and 1.2 above it.
COEFFICIENTS = (3.4445, -4.7750, 2.0315)
ITERATIONS = 5
LIKE_ADAM = 0.2  # the usual root mean square of Adam's step at a learning rate of 1


def orthogonalised(matrix: Tensor) -> Tensor:
    """The matrix with the same singular vectors and all singular values near 1."""
    if matrix.shape[0] > matrix.shape[1]:
        return orthogonalised(matrix.mT).mT
    a, b, c = COEFFICIENTS
    found: Tensor = matrix / (matrix.norm() + 1e-7)
    for _ in range(ITERATIONS):
        square = found @ found.T
        found = a * found + (b * square + c * square @ square) @ found
    return found


class Muon(torch.optim.Optimizer):
    """Steps along the orthogonalised momentum of each matrix (Jordan 2024), so that all directions
    of a layer are updated alike and not only those that dominate the gradient.

    For weights of two or more dimensions; all but the first are flattened, as in a convolution.
    Steps are as long as Adam's, so that both take the same learning rates (Liu et al. 2025). Weight
    decay is decoupled from the gradient, as in AdamW.
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
    """Updates the momentum by the gradient. Returns the orthogonalised Nesterov momentum."""
    memory.lerp_(gradient, 1 - momentum)
    return orthogonalised(gradient.lerp(memory, momentum).flatten(1))
