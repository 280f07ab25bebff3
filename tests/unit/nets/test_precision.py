"""Nets in 16 bits on a CPU: forward, backward, overflow, checkpoint."""

from typing import Literal

import numpy as np
import pytest
import torch
from torch import Tensor

from selfmate.learners.alphazero.loss import TrainingStep
from selfmate.nets.config import ResNetConfig
from selfmate.nets.optim import GradientWorkers, Optimizer, placed
from selfmate.nets.precision import STEPS_TO_DOUBLE, LossScale, loss_scale_for, precision_on
from selfmate.nets.resnet import SeResNet
from selfmate.nets.torch_evaluator import TorchEvaluator
from selfmate.runs.run import copied
from unit.data.example_rows import examples

HALF = pytest.mark.parametrize("precision", ["bf16", "fp16"])
Half = Literal["bf16", "fp16"]


def make_net(precision: Literal["fp32", "bf16", "fp16"]) -> SeResNet:
    torch.manual_seed(3)
    net = ResNetConfig(blocks=2, filters=16, attention_blocks=1).make_net()
    net.precision = precision
    return net


def make_optimizer(net: SeResNet) -> Optimizer:
    optimizer = Optimizer.muon(net, 10.0, 1e-4, net.matrices())
    optimizer.loss_scale = loss_scale_for(net.precision)
    return optimizer


def update(net: SeResNet, optimizer: Optimizer, number: int) -> dict[str, float]:
    step = TrainingStep([examples(16, seed=number)], value_weight=1.0)
    return step.update(net, optimizer, GradientWorkers(2), 1e-3)


@HALF
def test_outputs_are_rounded_and_close(precision: Half) -> None:
    planes = examples(32).planes
    exact, rounded = (TorchEvaluator(make_net(kind))(planes) for kind in ("fp32", precision))
    for one, other in zip(exact, rounded, strict=True):
        assert one.dtype == other.dtype == np.float32
        assert not np.array_equal(one, other)
        assert np.allclose(one, other, atol=0.03)


@HALF
def test_gradients_point_where_those_of_32_bits_do(precision: Half) -> None:
    def gradient(kind: Literal["fp32", "bf16", "fp16"]) -> Tensor:
        net = make_net(kind)
        step = TrainingStep([examples(16)], value_weight=1.0)
        step.gradient(net, make_optimizer(net), GradientWorkers(2))
        return torch.cat([of.grad.flatten() for of in net.parameters() if of.grad is not None])

    exact, rounded = gradient("fp32"), gradient(precision)
    assert torch.nn.functional.cosine_similarity(exact, rounded, dim=0) > 0.99
    assert float(rounded.norm() / exact.norm()) == pytest.approx(1, abs=0.05)


def test_it_learns_as_in_32_bits() -> None:
    def losses(precision: Literal["fp32", "bf16", "fp16"]) -> list[float]:
        net = make_net(precision)
        optimizer = make_optimizer(net)
        return [update(net, optimizer, 1)["policy_loss"] for _ in range(30)]

    exact = losses("fp32")
    assert exact[-1] < exact[0] - 0.2
    assert losses("bf16")[-1] == pytest.approx(exact[-1], abs=0.05)
    assert losses("fp16")[-1] == pytest.approx(exact[-1], abs=0.05)


def test_an_overflow_skips_the_update_and_halves_the_scale() -> None:
    net = make_net("fp16")
    optimizer = make_optimizer(net)
    assert optimizer.loss_scale is not None
    optimizer.loss_scale.factor.fill_(2.0**40)
    before = copied(net.arrays())
    metrics = update(net, optimizer, 1)
    assert metrics["skipped_updates"] == 1
    assert metrics["gradient_norm"] == 0
    assert metrics["loss_scale"] == 2.0**39
    assert all(np.array_equal(array, before[name]) for name, array in net.arrays().items())
    while metrics["skipped_updates"]:
        metrics = update(net, optimizer, 1)
    assert metrics["gradient_norm"] > 0
    assert not all(np.array_equal(array, before[name]) for name, array in net.arrays().items())


def test_a_checkpoint_continues_bit_for_bit() -> None:
    first, second = make_net("fp16"), make_net("fp16")
    ours, theirs = make_optimizer(first), make_optimizer(second)
    for number in range(3):
        update(first, ours, number)
    second.take(copied(first.arrays()))
    theirs.take(copied(ours.arrays()))
    assert [update(first, ours, 3)] == [update(second, theirs, 3)]
    for one, other in ((first.arrays(), second.arrays()), (ours.arrays(), theirs.arrays())):
        assert all(np.array_equal(array, other[name]) for name, array in one.items())
    assert "loss_scale.factor" in ours.arrays()


def test_the_scale_doubles_after_many_updates_and_forgets() -> None:
    scale = LossScale()
    first = float(scale.factor)
    for _ in range(STEPS_TO_DOUBLE):
        scale.update(overflow=False)
    assert float(scale.factor) == 2 * first
    scale.update(overflow=True)
    assert float(scale.factor) == first
    scale.update(overflow=True)
    scale.reset()
    assert float(scale.factor) == first


def test_auto_depends_on_the_device() -> None:
    assert precision_on("auto", torch.device("cpu")) == "fp32"
    assert precision_on("auto", torch.device("cuda")) == "bf16"
    assert precision_on("fp16", torch.device("cpu")) == "fp16"


def test_another_device_gets_its_planes_from_pinned_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = list[Tensor]()

    def pin(tensor: Tensor) -> Tensor:  # a machine without a GPU cannot pin
        pinned.append(tensor)
        return tensor

    monkeypatch.setattr(Tensor, "pin_memory", pin)
    planes = examples(4).planes
    assert placed(planes, torch.device("meta")).shape == planes.shape
    assert len(pinned) == 1
