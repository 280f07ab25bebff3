"""The core's evaluator against torch, and its refresh."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from selfmate.nets.config import ResNetConfig
from selfmate.nets.evaluator import CoreEvaluator
from selfmate.nets.resnet import SeResNet

ROWS = 20
PLANES = np.random.default_rng(4).random((ROWS, 96, 8, 8), np.float32)


def trained_like(config: ResNetConfig, seed: int = 1) -> SeResNet:
    """Norms that differ from channel to channel, and heads that have opinions."""
    torch.manual_seed(seed)
    net = config.make_net()
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
    if net.config.wdl:
        return torch.softmax(value, 1).numpy(), policy.numpy()
    scalar = torch.tanh(value)
    nothing = torch.zeros_like(scalar)
    return torch.cat([(1 + scalar) / 2, nothing, (1 - scalar) / 2], 1).numpy(), policy.numpy()


@st.composite
def configs(draw: st.DrawFn) -> ResNetConfig:
    blocks = draw(st.integers(1, 3))
    names = ("squeeze_excitation", "wdl", "semantic_planes", "policy_pairs")
    switches = {name: draw(st.booleans()) for name in names}
    switches["tactical_planes"] = switches["semantic_planes"] and draw(st.booleans())
    filters, attention = 8 * draw(st.integers(1, 8)), draw(st.integers(0, blocks))
    settings = {"blocks": blocks, "filters": filters, "attention_blocks": attention}
    return ResNetConfig.model_validate(settings | switches)


@settings(max_examples=15, deadline=None)
@given(config=configs(), seed=st.integers(0, 10**6))
def test_answers_are_torchs(config: ResNetConfig, seed: int) -> None:
    net = trained_like(config, seed)
    assert_agreement(CoreEvaluator(net), net)


@pytest.mark.parametrize(("blocks", "filters"), [(4, 64), (6, 96)])
def test_answers_are_torchs_for_nets_of_usual_sizes(blocks: int, filters: int) -> None:
    net = trained_like(ResNetConfig(blocks=blocks, filters=filters))
    assert_agreement(CoreEvaluator(net, threads=2), net)


def assert_agreement(evaluator: CoreEvaluator, net: SeResNet) -> None:
    (wdl, logits), (wdl_of_torch, logits_of_torch) = evaluator(PLANES), of_torch(net)
    np.testing.assert_allclose(logits, logits_of_torch, atol=1e-4)
    np.testing.assert_allclose(wdl, wdl_of_torch, atol=1e-5)
    np.testing.assert_allclose(wdl.sum(axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("wdl", [True, False])
def test_a_row_has_the_same_wdl_in_any_batch(wdl: bool) -> None:
    evaluator = CoreEvaluator(trained_like(ResNetConfig(blocks=2, filters=16, wdl=wdl)))
    all_rows, _ = evaluator(PLANES)
    for count in range(ROWS):
        assert evaluator(PLANES[count:])[0].tobytes() == all_rows[count:].tobytes()
        assert evaluator(PLANES[:count])[0].tobytes() == all_rows[:count].tobytes()


def test_a_refresh_copies_what_the_net_has_learned() -> None:
    net = trained_like(ResNetConfig(blocks=2, filters=16))
    evaluator = CoreEvaluator(net)
    before = evaluator(PLANES)[1]
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.01)
    assert evaluator(PLANES)[1].tobytes() == before.tobytes()
    evaluator.refresh()
    assert_agreement(evaluator, net)
    assert evaluator(PLANES)[1].tobytes() != before.tobytes()
