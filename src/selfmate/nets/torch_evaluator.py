"""The forward pass of an SE-ResNet in torch, for devices other than the processor."""

from copy import deepcopy

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate.nets.config import PLANES
from selfmate.nets.optim import one_thread
from selfmate.nets.resnet import SeResNet, wdl_of

Floats = NDArray[np.float32]


class TorchEvaluator:
    """An `Evaluator` on the net's device; on a CPU, on one thread."""

    def __init__(self, net: SeResNet) -> None:
        self._net = net
        self._copy = deepcopy(net).eval()
        # Small blocks waste little on few rows; a GPU needs large ones to be busy.
        self._block_rows = 16 if net.device.type == "cpu" else 256

    def refresh(self) -> None:
        self._copy.load_state_dict(self._net.state_dict())

    @torch.inference_mode()
    def __call__(self, planes: Floats) -> tuple[Floats, Floats]:
        with one_thread():
            outputs = [self._copy(block) for block in self._blocks(torch.from_numpy(planes))]
            logits = torch.cat([policy for policy, _ in outputs])[: len(planes)]
            value = torch.cat([value for _, value in outputs])[: len(planes)]
        return wdl_of(value.cpu()).numpy(), logits.cpu().numpy()

    def _blocks(self, planes: Tensor) -> tuple[Tensor, ...]:
        """Blocks of one size, the last one padded: the last bits of a product depend on the number
        of rows."""
        missing = -len(planes) % self._block_rows
        padded = torch.cat([planes, torch.zeros(missing, PLANES, 8, 8)]) if missing else planes
        return torch.split(padded.to(self._copy.device), self._block_rows)
