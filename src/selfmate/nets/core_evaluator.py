"""What a net says of positions, computed by the core: on any processor, without torch."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from selfmate import _core

if TYPE_CHECKING:
    from selfmate.nets.se_resnet import SeResNet, SeResNetShape


class CoreEvaluator:
    def __init__(self, net: "SeResNet", *, threads: int = 1) -> None:
        self._net = net
        self._threads = threads
        self._core = core_net(net.shape, net.arrays())

    def refresh(self) -> None:
        self._core.load(self._net.arrays())

    def __call__(
        self, planes: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        values, logits = self._core.evaluate(planes, self._threads)
        return _chances(values), logits


def core_net(
    shape: "SeResNetShape", weights: Mapping[str, NDArray[Any]], *, portable: bool = False
) -> _core.SeResNet:
    return _core.SeResNet(dict(weights), **asdict(shape), portable=portable)


def _chances(values: NDArray[np.float32]) -> NDArray[np.float32]:
    exact = values.astype(np.float64)
    if values.shape[1] == 3:
        powers = np.exp(exact - exact.max(axis=1, keepdims=True))
        chances: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    else:
        scalar = np.tanh(exact)
        chances = np.concatenate([(1 + scalar) / 2, 0 * scalar, (1 - scalar) / 2], axis=1)
    return chances.astype(np.float32)
