"""What a net says of positions: chances and logits as arrays, for a search to ask for."""

from copy import deepcopy
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.nets.se_resnet import PLANES, SeResNet
from selfmate.nets.threads import one_thread

BLOCK_ROWS = 16


class Evaluator(Protocol):
    def __call__(
        self, planes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Chances [N, 3] of win, draw and loss for the side to move, and logits [N, 4672] of all
        actions, for planes [N, 68, 8, 8].

        A row's answer is the same, bit for bit, whatever else is in the batch.
        """
        ...

    def refresh(self) -> None:
        """Takes over what the net has learned since; until then nothing changes."""
        ...


def make_evaluator(net: SeResNet, *, engine: str = "auto", threads: int = 1) -> Evaluator:
    if engine not in ("auto", "torch"):
        raise ValueError(f"there is no engine {engine!r}; there are auto and torch")
    return TorchEvaluator(net)


class TorchEvaluator:
    def __init__(self, net: SeResNet) -> None:
        self._net = net
        self._copy = deepcopy(net).eval()

    def refresh(self) -> None:
        self._copy.load_state_dict(self._net.state_dict())

    @torch.inference_mode()
    def __call__(
        self, planes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        rows = torch.from_numpy(planes)
        with one_thread():
            found = [self._copy(block) for block in _blocks(rows)]
            logits = torch.cat([policy for policy, _ in found])[: len(rows)]
            chances = _chances(torch.cat([value for _, value in found])[: len(rows)])
        return chances.numpy(), logits.numpy()


def _blocks(rows: Tensor) -> list[Tensor]:
    """Of BLOCK_ROWS each, the last one filled up: sums depend on how many rows there are."""
    missing = -len(rows) % BLOCK_ROWS
    filled = torch.cat([rows, torch.zeros(missing, PLANES, 8, 8)]) if missing else rows
    return list(torch.split(filled, BLOCK_ROWS))


def _chances(value: Tensor) -> Tensor:
    if value.shape[1] == 3:
        return torch.softmax(value, 1)
    scalar = torch.tanh(value)
    return torch.cat([(1 + scalar) / 2, torch.zeros_like(scalar), (1 - scalar) / 2], 1)
