"""Pretraining of a sparse net: its settings, its examples, and games in place of the teacher."""

from pathlib import Path

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from selfmate.data.sparse_examples import examples_of_labels
from selfmate.learners.alphazero.config import PretrainConfig
from selfmate.learners.alphazero.sparse_loss import sparse_loss, validate_sparse
from selfmate.learners.config import Config, read_config
from selfmate.learners.registry import LEARNERS
from selfmate.nets.config import SparseNetConfig
from selfmate.nets.sparse_net import MAX_INPUT_WEIGHT, SparseNet
from selfmate.players import load_player
from selfmate.rules import Board
from selfmate.runs.directory import RunDirectory
from selfmate.runs.session import Session
from selfmate.selfplay.labelled import LabelPlan
from unit.cli.toy_process import outcome
from unit.data.imports import games_text, import_all

LEARNER = LEARNERS["pretrain-alphazero"]
SETS = ("net=sparse", "accumulator=32", "policy_width=32", "batch_size=20")
NETS = ("sparse", "residual")
ONE_STEP = Session(resume=True, minutes=1e-9)


def small_net() -> SparseNet:
    torch.manual_seed(1)
    return SparseNetConfig(accumulator=32, policy_width=32).make_net()


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("games")
    (path / "a.pgn").write_text(games_text(12, seed=1))
    import_all([path / "a.pgn"], path / "a")
    return str(path / "a")


def config_for(*sets: str) -> Config:
    return read_config(LEARNER, sets=[*SETS, *sets])


def learn(config: Config, directory: Path, session: Session) -> None:
    with LEARNER.open_run(config, directory, session) as run:
        LEARNER.train(config, run)


def test_a_net_learns_from_games_and_resumes_bit_for_bit(games: str, tmp_path: Path) -> None:
    config = config_for(f'data=["{games}"]', "epochs=2")
    learn(config, tmp_path / "whole", Session())
    for _ in range(2):
        learn(config, tmp_path / "parts", ONE_STEP)
    learn(config, tmp_path / "parts", Session(resume=True))
    assert outcome(tmp_path / "parts") == outcome(tmp_path / "whole")
    lines = list(RunDirectory(tmp_path / "whole").metrics())
    assert lines[-1]["policy_loss"] < lines[0]["policy_loss"]
    player = load_player(f"{tmp_path / 'whole'}:sims=50")
    move = player.choose([Board()], np.zeros(1, np.uint64)).moves
    assert move[0]


def test_labels_become_a_policy_and_wdl() -> None:
    positions = LabelPlan(seed=1, chunk_positions=64, depth=1).chunk(0, None)
    examples = examples_of_labels(small_net(), positions, np.arange(64), sharpness=5.0)
    sums = np.add.reduceat(examples.policy, examples.inputs.offsets[:-1])
    np.testing.assert_allclose(sums, 1, atol=1e-5)
    np.testing.assert_allclose(examples.wdl_side_to_move.sum(1), 1, atol=1e-6)
    best = np.maximum.reduceat(positions.centipawns, positions.offsets[:-1])
    values = examples.wdl_side_to_move[:, 0] - examples.wdl_side_to_move[:, 2]
    # A better score never means a worse result.
    order = np.argsort(best, kind="stable")
    assert (np.diff(values[order]) >= -1e-6).all()


def test_the_loss_falls_when_the_targets_are_the_nets_own() -> None:
    net, positions = small_net(), LabelPlan(seed=1, chunk_positions=64, depth=1).chunk(0, None)
    examples = examples_of_labels(net, positions, np.arange(64), sharpness=5.0)
    before = sparse_loss(net, examples)
    entropy = -(examples.policy * np.log(np.maximum(examples.policy, 1e-12))).sum() / 64
    assert float(before.policy.detach()) > entropy
    found = validate_sparse(net, [examples])
    assert found["validation_policy_loss"] == pytest.approx(float(before.policy.detach()))
    assert 0 <= found["match1"] <= found["match5"] <= 1


def test_weights_stay_within_what_the_core_can_hold() -> None:
    net = small_net()
    with torch.no_grad():
        net.accumulator.weight.fill_(9)
    net.clip_weights()
    assert net.arrays()["accumulator.weight"].max() == pytest.approx(MAX_INPUT_WEIGHT)


@pytest.mark.parametrize("wrong", ["schedule=plateau", "optimizer=muon", "gradient_accumulation=2"])
def test_settings_that_a_sparse_net_cannot_use_are_refused(wrong: str) -> None:
    name = wrong.partition("=")[0]
    with pytest.raises(ValueError, match=f"net = sparse needs {name} = "):
        config_for(wrong)


def test_defaults_depend_on_the_net() -> None:
    sparse, residual = (PretrainConfig.model_validate({"net": net}) for net in NETS)
    assert (sparse.learning_rate, residual.learning_rate) == (2e-3, 1e-4)
    assert PretrainConfig.model_validate(sparse.model_dump()) == sparse
    with pytest.raises(ValidationError, match="king_buckets must be 1 or 4"):
        PretrainConfig.model_validate({"king_buckets": 2})
