"""Evaluators: their answers, in any batch, and after a refresh."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from selfmate.nets.config import ResNetConfig
from selfmate.nets.evaluator import make_evaluator
from selfmate.nets.resnet import SeResNet

ROWS = 40
PLANES = np.random.default_rng(4).random((ROWS, 96, 8, 8), np.float32)

engines = pytest.mark.parametrize("engine", ["core", "torch"])


def lively_net(**config: Any) -> SeResNet:
    """Every weight matters: an untrained net hardly uses some."""
    torch.manual_seed(1)
    net = ResNetConfig(**{"blocks": 3, "filters": 24, **config}).make_net()
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.1)
    return net


def in_one(answer: tuple[NDArray[np.float32], NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.concatenate(answer, axis=1)


NET = lively_net()
EVALUATORS = {"torch": make_evaluator(NET, engine="torch"), "auto": make_evaluator(NET)}
ALL = {engine: in_one(evaluator(PLANES)) for engine, evaluator in EVALUATORS.items()}


@engines
@pytest.mark.parametrize(
    "config",
    [
        {},
        {"attention_blocks": 0},
        {"squeeze_excitation": False},
        {"semantic_planes": False},
        {"tactical_planes": True},
        {"policy_pairs": True},
        {"blocks": 1, "filters": 8, "attention_blocks": 1},
        {"blocks": 2, "filters": 64, "attention_blocks": 2},
    ],
)
def test_answers_are_the_nets(engine: str, config: dict[str, Any]) -> None:
    net = lively_net(**config)
    wdl, logits = make_evaluator(net, engine=engine)(PLANES)
    with torch.no_grad():
        policy, value = net.double()(torch.from_numpy(PLANES).double())
    np.testing.assert_allclose(logits, policy.numpy(), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(wdl, torch.softmax(value, 1).numpy(), atol=1e-4)
    np.testing.assert_allclose(wdl.sum(axis=1), 1, atol=1e-5)


@engines
def test_a_scalar_value_becomes_wdl_without_draws(engine: str) -> None:
    net = lively_net(wdl=False)
    wdl, _ = make_evaluator(net, engine=engine)(PLANES)
    with torch.no_grad():
        expected = torch.tanh(net(torch.from_numpy(PLANES))[1][:, 0]).numpy()
    np.testing.assert_allclose(wdl[:, 0] - wdl[:, 2], expected, atol=1e-4)
    np.testing.assert_allclose(wdl[:, 0] + wdl[:, 2], 1, atol=1e-5)
    assert not wdl[:, 1].any()


@pytest.mark.parametrize("engine", ["auto", "torch"])
@settings(max_examples=25, deadline=None)
@given(rows=st.lists(st.integers(0, ROWS - 1), min_size=0, max_size=2 * ROWS))
def test_a_row_has_the_same_answer_in_any_batch(engine: str, rows: list[int]) -> None:
    found = in_one(EVALUATORS[engine](PLANES[rows]))
    assert found.shape == (len(rows), 3 + 4672)
    assert found.tobytes() == ALL[engine][rows].tobytes()


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_bit(threads: int) -> None:
    evaluator = make_evaluator(NET, threads=threads)
    assert in_one(evaluator(PLANES)).tobytes() == ALL["auto"].tobytes()


@pytest.mark.parametrize("engine", ["auto", "torch"])
def test_several_threads_may_evaluate_at_the_same_time(engine: str) -> None:
    with ThreadPoolExecutor(3) as pool:
        answers = list(pool.map(EVALUATORS[engine], [PLANES] * 6))
    assert {in_one(answer).tobytes() for answer in answers} == {ALL[engine].tobytes()}


@engines
def test_a_refresh_copies_what_the_net_has_learned(engine: str) -> None:
    net = lively_net()
    evaluator = make_evaluator(net, engine=engine)
    before = in_one(evaluator(PLANES))
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.01)
    assert in_one(evaluator(PLANES)).tobytes() == before.tobytes()
    evaluator.refresh()
    after = in_one(evaluator(PLANES))
    assert after.tobytes() != before.tobytes()
    assert after.tobytes() == in_one(make_evaluator(net, engine=engine)(PLANES)).tobytes()


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="no engine 'abacus'; there are auto, core, torch"):
        make_evaluator(NET, engine="abacus")


def test_planes_of_another_shape_or_type_are_refused() -> None:
    with pytest.raises(ValueError, match="planes must be a C-contiguous float32 array"):
        make_evaluator(NET)(PLANES[:, :60])
