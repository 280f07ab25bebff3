"""The gradient of REINFORCE in the core against torch's, and the learner that browsers run."""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import selfmate._core as core
from selfmate.data.trajectories import SampledGames
from selfmate.learners.reinforce.config import Config
from selfmate.learners.reinforce.learner import Reinforce
from selfmate.nets.sparse import log_softmax
from selfmate.rules import Board

SETTINGS: list[dict[str, Any]] = [
    {},
    {"baseline": "value_head", "entropy_bonus": 0.02, "encoding": "turned768"},
    {"hidden": (20, 10, 3), "encoding": "counts", "baseline": "value_head"},
]
MAX_WEIGHT = 2.0


def torch_gradient(learner: Reinforce, games: SampledGames) -> dict[str, NDArray[np.float32]]:
    """By automatic differentiation of the mean loss."""
    config, net = learner.config, learner.net
    asked = games.candidates(np.arange(len(games)))
    scores, values = net(asked)
    policy = log_softmax(scores / float(games.temperature[0]), asked.offsets)
    taken = policy[torch.from_numpy(asked.offsets[:-1] + games.chosen)]
    results = torch.from_numpy(games.results_of_plies.astype(np.float32))
    gains = results - (learner.baseline if values is None else values.detach())
    signs = torch.from_numpy(np.where(games.is_white, 1, -1).astype(np.float32))
    ratios = (taken.detach() - torch.from_numpy(games.log_probs)).exp().clamp(max=MAX_WEIGHT)
    total = -(ratios * signs * gains * taken).sum()
    total = total + config.entropy_bonus * (policy.exp() * policy).sum()
    if values is not None:
        total = total + config.value_weight * (values - results).square().sum()
    net.zero_grad()
    (total / len(games)).backward()  # type: ignore[no-untyped-call]
    found = {name: parameter.grad for name, parameter in net.named_parameters()}
    return {name: grad.numpy() for name, grad in found.items() if grad is not None}


def core_gradient(
    learner: Reinforce, games: SampledGames, *, portable: bool
) -> dict[str, NDArray[np.float32]]:
    config, spec = learner.config, learner.spec
    *_, gradient = core.policy_gradient(
        learner.net.arrays(),
        games.arrays() | {"is_white": games.is_white.view(np.uint8)},
        np.arange(len(games)),
        encoding=spec.encoding,
        hidden=spec.hidden,
        value_head=spec.value_head,
        temperature=float(games.temperature[0]),
        baseline=learner.baseline,
        value_weight=config.value_weight,
        entropy_bonus=config.entropy_bonus,
        max_importance_weight=MAX_WEIGHT,
        divisor=len(games),
        portable=portable,
    )
    return gradient


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_gradients_of_all_kernels_are_torchs(settings: dict[str, Any]) -> None:
    learner = Reinforce(Config.model_validate({"seed": 3, "max_plies": 40, **settings}))
    games, _, _ = learner.play([Board() for _ in range(6)], 1.2, np.random.default_rng(1))
    results = np.array([1, -1, 0, 1, -1, 1], np.int8)
    games = SampledGames.from_arrays(games.arrays() | {"results": results})
    rng = np.random.default_rng(2)
    for array in learner.net.arrays().values():  # so that moves have other weights than 1
        array[...] += 0.02 * rng.normal(size=array.shape)
    expected = torch_gradient(learner, games)
    for portable in (False, True):
        found = core_gradient(learner, games, portable=portable)
        assert found.keys() == expected.keys()
        for name, gradient in expected.items():
            # Single neurons may be on the other side of their ReLU's kink.
            np.testing.assert_allclose(found[name], gradient, rtol=1e-4, atol=1e-5, err_msg=name)
            error = np.linalg.norm(found[name] - gradient)
            assert error < 0.01 * np.linalg.norm(gradient) + 1e-6, name


def test_learning_moves_the_policy_away_from_the_untrained_one() -> None:
    learner = core.Reinforce(
        seed=1, vs_random=1.0, encoding="turned768", hidden=(64, 32), updates=2, learning_rate=3e-3
    )
    metrics = [learner.iterate(50) for _ in range(25)]
    assert metrics[-1]["kl"] > metrics[0]["kl"] > 0
    assert metrics[-1]["entropy"] < metrics[-1]["ln_legal"] - 0.02


@pytest.mark.parametrize("portable", [False, True])
def test_the_same_seed_learns_the_same(portable: bool) -> None:
    learners = [core.Reinforce(seed=4, hidden=(16, 8), portable=portable) for _ in range(2)]
    first, second = ([learner.iterate(5) for _ in range(2)] for learner in learners)
    assert first == second
    other = core.Reinforce(seed=5, hidden=(16, 8), portable=portable)
    assert other.iterate(5) != first[0]
