"""Pretraining on several folders: settings, shares of every batch, and what a run remembers; nets
that grow."""

import json
from pathlib import Path

import numpy as np
import pytest

from selfmate.data.dataset import ChunkFolder
from selfmate.data.held_out import open_games
from selfmate.learners.alphazero.config import PretrainConfig
from selfmate.learners.alphazero.pretrain import Pretraining
from selfmate.learners.config import read_config
from selfmate.learners.registry import LEARNERS
from selfmate.runs import Session
from unit.data.imports import games_text, import_all

SMALL = {"blocks": 1, "filters": 8, "attention_blocks": 0, "batch_size": 20, "threads": 1}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Of random games."""
    path = tmp_path_factory.mktemp("folders")
    (path / "a.pgn").write_text(games_text(12, seed=1))
    (path / "b.pgn").write_text(games_text(12, seed=2))
    for name in "ab":
        import_all([path / f"{name}.pgn"], path / name)
    return str(path / "a"), str(path / "b")


def test_one_share_of_evaluations_or_one_for_each_folder() -> None:
    learner = LEARNERS["pretrain-alphazero"]
    config = read_config(learner, sets=["evaluation_share=[0.5]"])
    assert isinstance(config, PretrainConfig)
    assert [config.evaluation_share_of(folder) for folder in range(3)] == [0.5] * 3
    config = PretrainConfig.model_validate({"data": ("a", "b"), "evaluation_share": (0.0, 1.0)})
    assert [config.evaluation_share_of(folder) for folder in range(2)] == [0.0, 1.0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"data_shares": (0.5,)},
        {"data_shares": (0.5, 0.0)},
        {"evaluation_share": (0.1, 0.2, 0.3)},
        {"evaluation_share": (1.5,)},
        {"evaluation_share": ()},
    ],
)
def test_shares_that_do_not_fit_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"data_shares|evaluation_share"):
        PretrainConfig.model_validate({"data": ("a", "b"), **wrong})


def test_every_batch_has_its_shares(folders: tuple[str, str]) -> None:
    config = PretrainConfig.model_validate({**SMALL, "data": folders, "data_shares": (0.75, 0.25)})
    pretraining = Pretraining(config, open_games(config.data))
    alone = Pretraining(
        config.model_copy(update={"data_shares": ()}), [ChunkFolder(Path(folders[0]))]
    )
    (batch,), (first,) = pretraining.batches(0, 20), alone.batches(0, 20)
    assert len(batch) == 20
    np.testing.assert_array_equal(batch.planes[:15], first.planes[:15])
    assert not np.array_equal(batch.planes[15:], first.planes[15:])


def test_a_run_is_resumed_with_the_same_folders_only(folders: tuple[str, str]) -> None:
    config = PretrainConfig.model_validate({**SMALL, "data": folders})
    saved = Pretraining(config, open_games(folders)).save()
    Pretraining(config, open_games(folders)).load(saved)
    with pytest.raises(ValueError, match="not those of the run"):
        Pretraining(config, open_games(folders[::-1])).load(saved)


def test_a_smaller_net_grows_and_a_larger_one_is_refused(folders: tuple[str, str]) -> None:
    config = PretrainConfig.model_validate({**SMALL, "data": folders[:1]})
    larger = config.model_copy(update={"blocks": 2, "filters": 16})
    games = open_games(config.data)
    small, large = Pretraining(config, games), Pretraining(larger, games)
    large.load_weights(small.net.arrays())
    assert large.growth == "the loaded net of 1 x 8 grew to 2 x 16"
    with pytest.raises(ValueError, match="of a net with blocks=2, filters=16"):
        small.load_weights(large.net.arrays())


@pytest.mark.parametrize(
    ("counted", "rates"), [("all", [1] * 4 + [0.5] * 2), ("epochs", [1] * 8 + [0.5] * 4)]
)
def test_the_plateau_counts_validations_or_epochs(
    counted: str,
    rates: list[float],
    folders: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two validations an epoch that never gain: the rate is halved after three, the run ends after
    five."""
    same = dict.fromkeys(
        ("match1", "match5", "validation_policy_loss", "validation_wdl_loss", "wdl_accuracy"), 1.0
    )
    monkeypatch.setattr(Pretraining, "validate", lambda *_: same | {"calibration_error": 0.0})
    learner = LEARNERS["pretrain-alphazero"]
    settings = {"data": folders[:1], "epochs": 20, "validations_per_epoch": 2}
    config = PretrainConfig.model_validate(
        {**SMALL, **settings, "batch_size": 100, "gradient_accumulation": 1}
        | {"learning_rate": 1e-6, "plateau_validations": counted}
    )
    with learner.open_run(config, tmp_path / "run", Session()) as run:
        learner.train(config, run)
    lines = [json.loads(line) for line in (tmp_path / "run/metrics.jsonl").read_text().splitlines()]
    assert [line["learning_rate"] / 1e-6 for line in lines if "match1" in line] == rates
