"""Both nets in the race are the same net."""

import numpy as np
import torch

from selfmate.data.teacher_data import LabelledBatch
from selfmate.encodings.features import encode_packed, flipped_legal_actions
from selfmate.nets.config import QNetConfig
from selfmate.rules import GameBatch
from selfmate_benchmarks.dqn import DenseNet, contestants


def labelled_batch(count: int) -> LabelledBatch:
    """Positions after some random plies; the first legal action is called the best."""
    batch = GameBatch(count, seed=1)
    for _ in range(9):
        batch.step(batch.random_moves())
    legal = flipped_legal_actions(batch, np.ones(count, np.bool_))
    return LabelledBatch(
        packed=encode_packed(batch),
        legal=legal,
        probs=np.zeros(len(legal.values), np.float32),
        best=legal.offsets[:-1],
        values=np.zeros(count, np.float32),
    )


def test_both_count_the_positions_and_agree() -> None:
    torch.manual_seed(1)
    net = QNetConfig(hidden=(16, 8), dueling=False, move_kinds=False).make_net()
    goes = contestants(net, labelled_batch(5))
    assert [go() for go in goes.values()] == [5, 5]


def test_weights_are_the_same() -> None:
    net = QNetConfig(hidden=(16, 8), dueling=False, move_kinds=False).make_net()
    dense = DenseNet(net)
    torch.testing.assert_close(dense.layers[0].weight, net.first.weight.T)
    torch.testing.assert_close(dense.layers[-1].bias, net.actions.bias)
