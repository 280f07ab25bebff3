"""The core's evaluator says what torch would, and learns of new weights when it is told."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from selfmate.nets.core_evaluator import CoreEvaluator
from selfmate.nets.se_resnet import SIZES, SeResNet, SeResNetShape

ROWS = 20
PLANES = np.random.default_rng(4).random((ROWS, 68, 8, 8), np.float32)


def trained_like(shape: SeResNetShape, seed: int = 1) -> SeResNet:
    """Norms that differ from channel to channel, and heads that have opinions."""
    torch.manual_seed(seed)
    net = SeResNet(shape)
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if name.endswith("norm.weight"):
                parameter.uniform_(0.5, 1.5)
            elif name.endswith("bias"):
                parameter.normal_(std=0.3)
            elif name.startswith(("policy", "value.out")) or ".add." in name:
                parameter.mul_(10)
    return net


def of_torch(net: SeResNet) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    with torch.no_grad():
        policy, value = net(torch.from_numpy(PLANES))
    if net.shape.wdl:
        return torch.softmax(value, 1).numpy(), policy.numpy()
    scalar = torch.tanh(value)
    nothing = torch.zeros_like(scalar)
    return torch.cat([(1 + scalar) / 2, nothing, (1 - scalar) / 2], 1).numpy(), policy.numpy()


@st.composite
def shapes(draw: st.DrawFn) -> SeResNetShape:
    blocks = draw(st.integers(1, 3))
    switches = {name: draw(st.booleans()) for name in ("squeeze", "wdl", "semantic")}
    filters, attention = 8 * draw(st.integers(1, 8)), draw(st.integers(0, blocks))
    return SeResNetShape(blocks=blocks, filters=filters, attention=attention, **switches)


@settings(max_examples=15, deadline=None)
@given(shape=shapes(), seed=st.integers(0, 10**6))
def test_answers_are_torchs(shape: SeResNetShape, seed: int) -> None:
    net = trained_like(shape, seed)
    assert_agreement(CoreEvaluator(net), net)


@pytest.mark.parametrize("size", ["tiny", "small"])
def test_answers_are_torchs_for_nets_of_usual_sizes(size: str) -> None:
    net = trained_like(SIZES[size])
    assert_agreement(CoreEvaluator(net, threads=2), net)


def assert_agreement(evaluator: CoreEvaluator, net: SeResNet) -> None:
    (chances, logits), (chances_of_torch, logits_of_torch) = evaluator(PLANES), of_torch(net)
    np.testing.assert_allclose(logits, logits_of_torch, atol=1e-4)
    np.testing.assert_allclose(chances, chances_of_torch, atol=1e-5)
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("wdl", [True, False])
def test_a_row_has_the_same_chances_in_any_batch(wdl: bool) -> None:
    evaluator = CoreEvaluator(trained_like(SeResNetShape(blocks=2, filters=16, wdl=wdl)))
    all_rows, _ = evaluator(PLANES)
    for count in range(ROWS):
        assert evaluator(PLANES[count:])[0].tobytes() == all_rows[count:].tobytes()
        assert evaluator(PLANES[:count])[0].tobytes() == all_rows[:count].tobytes()


def test_what_a_net_has_learned_is_told_after_a_refresh() -> None:
    net = trained_like(SeResNetShape(blocks=2, filters=16))
    evaluator = CoreEvaluator(net)
    before = evaluator(PLANES)[1]
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.01)
    assert evaluator(PLANES)[1].tobytes() == before.tobytes()
    evaluator.refresh()
    assert_agreement(evaluator, net)
    assert evaluator(PLANES)[1].tobytes() != before.tobytes()
