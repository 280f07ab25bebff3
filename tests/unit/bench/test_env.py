"""`bench env`: figures for what is installed, null for what is not."""

import numpy as np
import pytest

from selfmate_benchmarks import env

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


def test_a_peer_that_is_not_installed_is_null(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env, "has_module", lambda name: name == "gymnasium")
    monkeypatch.setattr(env, "VECTOR_STEPS", 2)
    results = env.run(rounds=1)
    assert results["x_vs_pettingzoo"] is None
    assert results["x_vs_openspiel"] is None
    assert results["openspiel_steps_per_s"] is None
    assert results["vector_steps_per_s"]


def test_our_environments_are_raced_with_pettingzoo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env, "has_module", lambda name: name != "pyspiel")
    for limit in ("VECTOR_STEPS", "PLIES", "SLOW_PLIES"):
        monkeypatch.setattr(env, limit, 4)
    results = env.run(rounds=1)
    assert results["x_vs_pettingzoo"]
    assert results["single_x_vs_pettingzoo"]


def test_random_actions_are_legal() -> None:
    rng = np.random.default_rng(1)
    masks = (rng.random((50, 30)) < 0.2).astype(np.int8)
    masks[:, 29] = 1
    actions = env.random_actions(masks, rng)
    assert masks[np.arange(50), actions].all()
