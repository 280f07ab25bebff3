"""What a net says of positions: chances and logits as arrays, for a search to ask for."""

from copy import deepcopy
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.nets.core_evaluator import CoreEvaluator
from selfmate.nets.se_resnet import PLANES, SeResNet, chances_of
from selfmate.nets.threads import one_thread

ENGINES = ("auto", "core", "torch")

Answer = tuple[NDArray[np.float32], NDArray[np.float32]]


class Evaluator(Protocol):
    """A net as it was when this was made or last refreshed. Several threads may ask at once."""

    def __call__(self, planes: NDArray[np.float32]) -> Answer:
        """Chances [N, 3] of win, draw and loss for the side to move, and logits [N, 4672] of all
        actions, for planes [N, 68, 8, 8].

        A row's answer is the same, bit for bit, whatever else is in the batch.
        """
        ...

    def refresh(self) -> None:
        """Takes over what the net has learned since."""
        ...


def make_evaluator(net: SeResNet, *, engine: str = "auto", threads: int = 1) -> Evaluator:
    """The core's engine is the quicker one on any processor and takes any number of rows at its
    best speed; torch's serves other devices. "auto" knows which."""
    if engine not in ENGINES:
        raise ValueError(f"there is no engine {engine!r}; there are {', '.join(ENGINES)}")
    on_processor = net.device.type == "cpu"
    if engine == "core" and not on_processor:
        raise ValueError("the core evaluates nets on processors only; take engine torch")
    if on_processor and engine != "torch":
        return CoreEvaluator(net, threads=threads)
    return TorchEvaluator(net)


class TorchEvaluator:
    """On the net's device; on a processor, on one thread."""

    def __init__(self, net: SeResNet) -> None:
        self._net = net
        self._copy = deepcopy(net).eval()
        # Small blocks waste little on few rows; a graphics card wants to be busy.
        self._block_rows = 16 if net.device.type == "cpu" else 256

    def refresh(self) -> None:
        self._copy.load_state_dict(self._net.state_dict())

    @torch.inference_mode()
    def __call__(self, planes: NDArray[np.float32]) -> Answer:
        with one_thread():
            found = [self._copy(block) for block in self._blocks(torch.from_numpy(planes))]
            logits = torch.cat([policy for policy, _ in found])[: len(planes)]
            value = torch.cat([value for _, value in found])[: len(planes)]
        return chances_of(value.cpu()).numpy(), logits.cpu().numpy()

    def _blocks(self, planes: Tensor) -> tuple[Tensor, ...]:
        """All of one size, the last one filled up: sums depend on how many rows there are."""
        missing = -len(planes) % self._block_rows
        filled = torch.cat([planes, torch.zeros(missing, PLANES, 8, 8)]) if missing else planes
        return torch.split(filled.to(self._copy.device), self._block_rows)
