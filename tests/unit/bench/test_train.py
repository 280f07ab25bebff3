"""Both contestants of `bench train` learn the same, and what is counted was done."""

from pathlib import Path

import pytest

from selfmate.nets.resnet import BoardConvolution
from selfmate_benchmarks import train
from selfmate_benchmarks.train import (
    check_same,
    imported,
    learners,
    load,
    new_learner,
    pretrain,
    update,
)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "BATCH", 16)


def test_both_learn_the_same_and_one_with_torch_alone(tmp_path: Path) -> None:
    games = imported(tmp_path, 20)
    ours, plain = learners(games)
    assert not any(isinstance(layer, BoardConvolution) for layer in plain.net.modules())
    (examples,) = ours.batches(0, 16)
    check_same(ours, plain, examples)
    update(ours, examples)
    with pytest.raises(RuntimeError, match="the two nets learn differently"):
        check_same(ours, plain, examples)


def test_what_is_counted(tmp_path: Path) -> None:
    games = imported(tmp_path, 20)
    assert load(games) == games.counts["training"] > 100
    assert pretrain(new_learner(games, 2), updates=2) == 32
