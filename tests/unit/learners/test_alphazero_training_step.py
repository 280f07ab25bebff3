"""A training step that is split among threads is that of the whole batch."""

import numpy as np
import pytest
import torch

from selfmate.data.examples import Examples
from selfmate.learners.alphazero.loss import TrainingStep, loss_of
from selfmate.nets.config import ResNetConfig
from selfmate.nets.optim import GradientWorkers, Optimizer
from selfmate.nets.resnet import SeResNet
from unit.data.example_rows import examples

WEIGHTS = {"value_weight": 0.5, "entropy_bonus": 0.1}


def make_net() -> SeResNet:
    torch.manual_seed(3)
    return ResNetConfig(blocks=1, filters=8, attention_blocks=1).make_net()


def gradients(net: SeResNet) -> list[torch.Tensor]:
    return [parameter.grad for parameter in net.parameters() if parameter.grad is not None]


@pytest.mark.parametrize("count", [1, 2, 7])
def test_metrics_and_gradient_are_those_of_the_whole_batch(count: int) -> None:
    batch, ours, theirs = examples(7), make_net(), make_net()
    step = TrainingStep([batch], **WEIGHTS)
    norm = step.gradient(ours, Optimizer.adam(ours, 1e9), GradientWorkers(count))
    logits, value = theirs(torch.from_numpy(batch.planes))
    loss = loss_of(logits, value, batch)
    assert norm == pytest.approx(
        Optimizer.adam(theirs, 1e9).gradient(loss.total(**WEIGHTS)), rel=1e-4
    )
    assert list(step.metrics().values()) == pytest.approx(loss.numbers(), rel=1e-5)
    for one, other in zip(gradients(ours), gradients(theirs), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-6)


def test_batches_weigh_the_same() -> None:
    net, batches = make_net(), [examples(5, seed=1), examples(3, seed=2)]
    workers, optimizer = GradientWorkers(2), Optimizer.adam(net, 1e9)
    both, each = (
        TrainingStep(batches, **WEIGHTS),
        [TrainingStep([batch], **WEIGHTS) for batch in batches],
    )
    for step in (both, *each):
        step.gradient(net, optimizer, workers)
    for name, mean in both.metrics().items():
        assert mean == pytest.approx(np.mean([one.metrics()[name] for one in each]), rel=1e-5)
    assert np.allclose(both.values(), np.concatenate([one.values() for one in each]), atol=1e-6)


def test_parts_are_all_of_the_examples_in_order() -> None:
    whole = examples(7)
    shares = whole.shares(3)
    assert [len(share) for share in shares] == [2, 2, 3]
    for name in ("planes", "policy", "wdl_side_to_move"):
        parts = np.concatenate([getattr(share, name) for share in shares])
        assert np.array_equal(parts, getattr(whole, name))
    assert rows_of(whole) == [row for share in shares for row in rows_of(share)]
    assert [len(share) for share in examples(2).shares(5)] == [1, 1]


def rows_of(batch: Examples) -> list[list[int]]:
    return [row.tolist() for row in np.split(batch.legal.values, batch.legal.offsets[1:-1])]
