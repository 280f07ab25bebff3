"""The validations of pretraining, from the metrics of a run."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from selfmate.cli.inspect_view import Validation, print_validations, validations_of
from selfmate.runs.card import Header
from selfmate.runs.directory import RunDirectory
from selfmate.runs.run import Json
from selfmate.runs.session import Session, open_run
from unit.players.trained_runs import POLICY, TINY, Weights, seeded_net


def make_run(path: Path, config: dict[str, Json], steps: Sequence[Mapping[str, float]]) -> None:
    """Steps of 50 positions."""
    state = Weights(seeded_net(TINY, 0))
    header = Header("pretrain-dqn", {"seed": 1, **config})
    total = 50 * len(steps)
    with open_run(path, header, POLICY, Session()) as run:
        for step in run.steps(state, total=total, unit="positions", size=50, player={}):
            step.record(steps[step.number - 1])


def losses(policy: float, value: float) -> dict[str, float]:
    return {"policy_loss": policy, "value_loss": value}


def validated(match1: float) -> dict[str, float]:
    return {"match1": match1, "match3": 2 * match1, "kl": 1.5, "value_mse": 0.25}


def test_a_validation_has_the_mean_loss_since_the_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two epochs of 100 positions; the first line is from before training."""
    steps = [
        losses(4, 2) | validated(0.1),
        losses(3, 1) | validated(0.2),
        losses(2, 0),
        losses(1, 2) | validated(0.3),
    ]
    make_run(tmp_path / "r", {"epochs": 2, "data": ["x"], "value_weight": 0.5}, steps)
    found = validations_of(RunDirectory(tmp_path / "r"))
    assert found == [
        Validation(positions=0, training_loss=None, validated=(0.1, 0.2, 1.5, 0.25)),
        Validation(positions=100, training_loss=4.25, validated=(0.2, 0.4, 1.5, 0.25)),
        Validation(positions=200, training_loss=2.0, validated=(0.3, 0.6, 1.5, 0.25)),
    ]
    print_validations(found)
    head, before, first, _ = capsys.readouterr().out.splitlines()
    assert head.split() == [
        "positions",
        "training",
        "loss",
        "match@1",
        "match@3",
        "KL",
        "value",
        "MSE",
    ]
    assert before.split() == ["before", "10.0%", "20.0%", "1.5", "0.25"]
    assert first.split() == ["100", "4.25", "20.0%", "40.0%", "1.5", "0.25"]


def test_other_runs_have_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path / "r", {}, [losses(1, 1)])
    assert validations_of(RunDirectory(tmp_path / "r")) == []
    print_validations([])
    assert capsys.readouterr().out == ""
