"""Both nets in the race are the same net."""

import numpy as np
import torch

from selfmate.bench.dense_net import DenseNet, contestants
from selfmate.data.lessons import Lesson
from selfmate.encodings.packed import encode_packed, inputs_of, legal_turned
from selfmate.players.q_player import QPlayerSpec
from selfmate.rules import GameBatch


def lesson(count: int) -> Lesson:
    """Positions after some random plies; the first legal action is called the best."""
    batch = GameBatch(count, seed=1)
    for _ in range(9):
        batch.step(batch.random_moves())
    legal = legal_turned(batch, np.ones(count, np.bool_))
    return Lesson(
        inputs=inputs_of(encode_packed(batch)),
        legal=legal,
        probs=np.zeros(len(legal.values), np.float32),
        best=legal.offsets[:-1],
        values=np.zeros(count, np.float32),
    )


def test_both_count_the_positions_and_agree() -> None:
    torch.manual_seed(1)
    net = QPlayerSpec(hidden=(16, 8), dueling=False).make_net()
    goes = contestants(net, lesson(5))
    assert [go() for go in goes.values()] == [5, 5]


def test_weights_are_the_same() -> None:
    net = QPlayerSpec(hidden=(16, 8), dueling=False).make_net()
    dense = DenseNet(net)
    torch.testing.assert_close(dense.layers[0].weight, net.first.weight.T)
    torch.testing.assert_close(dense.layers[-1].bias, net.actions.bias)
