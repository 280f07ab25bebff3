"""The registry of learners: light to import, and what it provides for training."""

import subprocess
import sys
import types
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from selfmate.learners.learner import Learner
from selfmate.learners.registry import LEARNERS, find_learner
from selfmate.presets import preset_names
from unit.learners.toy import TOY


def test_the_registry_imports_nothing_heavy() -> None:
    program = (
        "import selfmate.learners.learner, sys; "
        "print([m for m in ('numpy', 'pydantic', 'rich', 'torch') if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_learners_are_found_by_name_and_verb() -> None:
    assert all(learner.name == name for name, learner in LEARNERS.items())
    assert find_learner("ddqn") is LEARNERS["ddqn"]
    assert find_learner("dqn", "pretrain") is LEARNERS["pretrain-dqn"]
    with pytest.raises(ValueError, match="no learner 'x' to train; there are: sarsa, ddqn"):
        find_learner("x")
    with pytest.raises(ValueError, match="no learner 'sarsa' to pretrain; there are: dqn"):
        find_learner("sarsa", "pretrain")


def test_learners_know_their_command() -> None:
    assert LEARNERS["ddqn"].command == "train ddqn"
    assert LEARNERS["pretrain-dqn"].command == "pretrain dqn"


def test_learners_refuse_devices_they_do_not_support() -> None:
    for learner in LEARNERS.values():
        learner.check_device("cpu")  # the default
    with pytest.raises(ValueError, match="pretrain dqn cannot compute on 'cuda'; --device is cpu"):
        LEARNERS["pretrain-dqn"].check_device("cuda")


def test_every_preset_belongs_to_a_learner() -> None:
    starts = tuple(f"{learner}-" for learner in LEARNERS)
    assert all(name.startswith(starts) for name in preset_names() if "-" in name)


def test_learners_train_on_one_blas_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def train(config: Any, run: Any) -> None:
        np.ones((2, 2)) @ np.ones((2, 2))
        seen.extend(p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas")

    monkeypatch.setitem(sys.modules, "counting", types.SimpleNamespace(train=train))
    learner = Learner(
        name="c", module="counting", config="", summary="", unit="", plots=(), then=""
    )
    with threadpool_limits(limits=2, user_api="blas"):
        learner.train(TOY.config_class(), None)  # type: ignore[arg-type]
        after = [p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"]
    assert set(seen) == {1}
    assert set(after) == {2}
