"""The SE-ResNet as torch alone would have it, and the search in Python that asks it."""

import chess
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from selfmate.bench.mcts_in_python import PythonMcts
from selfmate.bench.planes_in_python import actions, planes68
from selfmate.nets.convolution import BoardConvolution
from selfmate.nets.se_resnet import SeResNet
from selfmate.search.tree import TreeSettings

# Planes, and the actions of the legal moves.
Seen = tuple[NDArray[np.float32], list[int]]


def with_torch_convolutions(net: SeResNet) -> SeResNet:
    """Another net of the same weights."""
    other = SeResNet(net.shape)
    for module in list(other.modules()):
        for name, layer in list(module.named_children()):
            if isinstance(layer, BoardConvolution):
                setattr(module, name, _torch_convolution(layer))
    other.load_state_dict(net.state_dict())
    return other


def _torch_convolution(layer: BoardConvolution) -> nn.Conv2d:
    return nn.Conv2d(layer.in_channels, layer.out_channels, 3, padding=1, bias=False)


class TorchJudge:
    """What a Python program shows a net of its leaves, and what it makes of the answers."""

    def __init__(self, net: SeResNet) -> None:
        self._net = net.eval()

    def look(self, board: chess.Board, moves: list[chess.Move]) -> Seen:
        return planes68(board), actions(moves, board.turn)

    @torch.inference_mode()
    def judge(self, seen: list[Seen]) -> list[tuple[float, NDArray[np.float64]]]:
        logits, value = self._net(torch.from_numpy(np.stack([planes for planes, _ in seen])))
        chances = torch.softmax(value, 1).numpy()
        values = (chances[:, 0] - chances[:, 2]).tolist()
        rows = logits.numpy()
        return [(values[i], _softmax(rows[i, legal])) for i, (_, legal) in enumerate(seen)]


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    powers = np.exp(logits - logits.max(), dtype=np.float64)
    shares: NDArray[np.float64] = powers / powers.sum()
    return shares


def with_net(net: SeResNet, settings: TreeSettings, *, batch: int) -> PythonMcts[Seen]:
    """The search in Python that asks a net."""
    judge = TorchJudge(net)
    return PythonMcts(judge.look, judge.judge, settings, batch=batch)
