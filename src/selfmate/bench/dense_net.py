"""The Q-net as torch alone would have it, with dense layers and a mask, in a race with ours."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from selfmate.bench.measure import Go
from selfmate.data.lessons import Lesson
from selfmate.nets.q_net import QNet
from selfmate.nets.ragged import log_softmax

SAME = 1e-4  # as near as the losses of both must be

# Takes the gradient of a loss, and returns the loss.
Act = Callable[[], float]


class DenseNet(torch.nn.Module):
    """With the weights of a net of ours, so that both must come to the same."""

    def __init__(self, net: QNet) -> None:
        super().__init__()
        sizes = (net.shape.inputs, *net.shape.hidden, net.shape.actions)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(*pair) for pair in pairwise(sizes))
        with torch.no_grad():
            for mine, theirs in zip(self.parameters(), _parameters(net), strict=True):
                mine.copy_(theirs)

    def forward(self, inputs: Tensor, is_legal: Tensor) -> Tensor:
        """[B, A] The logarithms of softmax(values); of illegal actions nothing is left."""
        level = inputs
        for layer in self.layers[:-1]:
            level = torch.relu(layer(level))
        values: Tensor = self.layers[-1](level)
        return values.masked_fill(~is_legal, -torch.inf).log_softmax(dim=1)


def contestants(net: QNet, lesson: Lesson) -> dict[str, Go]:
    """Both nets over the same positions, forward and backward, once they are known to agree."""
    acts = {
        "sparse": partial(_learn_sparse, net, lesson),
        "dense": partial(_learn_dense, DenseNet(net), *_dense(net, lesson)),
    }
    ours, theirs = (act() for act in acts.values())
    if abs(ours - theirs) > SAME:
        raise RuntimeError(f"the losses of the two nets are {ours} and {theirs}")
    return {name: partial(_count, act, len(lesson.legal)) for name, act in acts.items()}


def _parameters(net: QNet) -> list[Any]:
    """As those of the dense net: our first matrix is the other way round."""
    layers = (*net.hidden, net.actions)
    others = [tensor for layer in layers for tensor in (layer.weight, layer.bias)]
    return [net.first.weight.T, net.first.bias, *others]


def _dense(net: QNet, lesson: Lesson) -> tuple[Tensor, Tensor, Tensor]:
    """Inputs [B, I], what is legal [B, A], and the best actions [B, 1]."""
    rows, legal = lesson.inputs, lesson.legal
    inputs = np.zeros((len(rows), net.shape.inputs), np.float32)
    inputs[np.repeat(np.arange(len(rows)), np.diff(rows.offsets)), rows.columns] = rows.values
    is_legal = np.zeros((len(rows), net.shape.actions), np.bool_)
    is_legal[legal.rows, legal.values] = True
    best = legal.values[lesson.best].astype(np.int64)[:, None]
    return torch.from_numpy(inputs), torch.from_numpy(is_legal), torch.from_numpy(best)


def _learn_sparse(net: QNet, lesson: Lesson) -> float:
    logs = log_softmax(net(lesson.inputs, lesson.legal), lesson.legal.offsets)
    return _learn(-logs[torch.from_numpy(lesson.best)].mean())


def _learn_dense(net: DenseNet, inputs: Tensor, is_legal: Tensor, best: Tensor) -> float:
    logs: Tensor = net(inputs, is_legal)
    return _learn(-logs.gather(1, best).mean())


def _learn(loss: Tensor) -> float:
    loss.backward()  # type: ignore[no-untyped-call]
    return float(loss.detach())


def _count(act: Act, positions: int) -> float:
    act()
    return positions
