"""Imitation: its figures against a slow reference, what it learns, what it refuses."""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from selfmate.data.teacher_data import LabelledBatch, TeacherDataset
from selfmate.learners.config import read_config
from selfmate.learners.dqn.config import PretrainConfig
from selfmate.learners.dqn.labels import FileLabels
from selfmate.learners.dqn.pretrain import Imitation, imitation_loss, smoothed
from selfmate.learners.registry import LEARNERS
from selfmate.nets.config import QNetConfig
from selfmate.nets.optim import one_thread
from selfmate.rules import Ragged
from selfmate.runs.directory import RunDirectory
from selfmate.runs.run import RunFailedError, RunRefusedError, Stopwatch
from selfmate.runs.session import Session
from unit.data.collected import collect

PRETRAIN = LEARNERS["pretrain-dqn"]
QUIET = Session(say=lambda _: None)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "games.ndjson"
    collect(path)
    return path


def config_of(data: Path, **changes: object) -> PretrainConfig:
    settings: dict[str, object] = {"data": (str(data),), "hidden": (24, 16), "batch_size": 32}
    settings["evaluation_games"] = 2
    return PretrainConfig.model_validate(settings | changes)


def imitation(data: Path, **changes: object) -> tuple[Imitation, FileLabels]:
    labels = FileLabels(config_of(data, **changes))
    torch.manual_seed(labels.config.seed)
    net = QNetConfig.of(labels.config).make_net()
    return Imitation(labels.config, net, labels), labels


def train(config: PretrainConfig, directory: Path, session: Session = QUIET) -> RunDirectory:
    with PRETRAIN.open_run(config, directory, session) as run:
        PRETRAIN.train(config, run)
    return RunDirectory(directory)


def rows_of(batch: LabelledBatch, flat: NDArray[np.float32]) -> list[list[float]]:
    cuts = batch.legal.offsets[1:-1]
    return [row.astype(np.float64).tolist() for row in np.split(flat, cuts)]


def slow_metrics(learner: Imitation, dataset: TeacherDataset) -> dict[str, float]:
    """By the definitions, one position at a time."""
    sums = dict.fromkeys(("match1", "match3", "kl", "kl_sharpened", "value_mse"), 0.0)
    rows = dataset.validation
    batch = dataset.lesson(rows)
    values = rows_of(batch, learner.net.values(batch.packed, batch.legal))
    collected = rows_of(batch, dataset.collected_probs(rows, batch.legal))
    for i, (of_moves, probs) in enumerate(zip(values, collected, strict=True)):
        best = int(batch.best[i] - batch.legal.offsets[i])
        order = sorted(range(len(of_moves)), key=lambda move: -of_moves[move])
        sums["match1"] += best in order[:1]
        sums["match3"] += best in order[:3]
        powers = np.exp(np.array(of_moves) / learner.config.temperature)
        policy = powers / powers.sum()
        sums["kl"] += slow_divergence(probs, policy)
        sharpened = np.array(probs) ** learner.config.target_sharpness
        sums["kl_sharpened"] += slow_divergence(sharpened / sharpened.sum(), policy)
        value = max(of_moves) if learner.config.dueling else of_moves[best]
        sums["value_mse"] += (value - float(batch.values[i])) ** 2
    return {name: value / len(rows) for name, value in sums.items()}


def slow_divergence(probs: Iterable[float], policy: Iterable[float]) -> float:
    terms = [p * np.log(p / q) for p, q in zip(probs, policy, strict=True) if p > 0]
    return float(np.sum(terms))


def test_collected_probabilities_are_those_of_the_file(data: Path) -> None:
    dataset = imitation(data)[1].dataset
    rows = np.arange(20)
    legal = dataset.lesson(rows).legal
    found = np.split(dataset.collected_probs(rows, legal), legal.offsets[1:-1])
    for probs, line in zip(found, data.read_text().splitlines(), strict=False):
        collected = sorted(json.loads(line)["teacher_policy"].values())
        assert sorted(probs[probs > 0].tolist()) == pytest.approx(collected, rel=1e-5)


@pytest.mark.parametrize("temperature", [0.05, 1.0])
@pytest.mark.parametrize("dueling", [False, True])
def test_metrics_are_those_of_a_loop(data: Path, temperature: float, dueling: bool) -> None:
    settings = {"temperature": temperature, "dueling": dueling, "validation_fraction": 0.4}
    learner, labels = imitation(data, **settings)
    for begin in (0, 64):
        assert learner.validate() == pytest.approx(slow_metrics(learner, labels.dataset), rel=1e-4)
        learner.study(begin, begin + 64, Stopwatch())


def test_a_net_with_equal_values_matches_nothing(data: Path) -> None:
    learner, _ = imitation(data)
    for array in learner.net.arrays().values():
        array[...] = 0
    assert learner.validate()["match1"] == 0


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.floats(0, 0.99))
def test_smoothed_targets_are_probabilities(counts: list[int], share: float) -> None:
    offsets = np.cumsum([0, *counts])
    legal = Ragged(np.zeros(offsets[-1], np.int32), offsets)
    probs = np.zeros(offsets[-1], np.float32)
    probs[offsets[:-1]] = 1  # the teacher is sure of the first
    found = smoothed(probs, legal, share)
    assert np.add.reduceat(found, offsets[:-1]) == pytest.approx(np.ones(len(counts)), rel=1e-5)
    for count, start in zip(counts, offsets[:-1].tolist(), strict=True):
        assert found[start] == pytest.approx(1 - share + share / count, rel=1e-5)


def test_the_loss_by_hand() -> None:
    """Two positions, of two and of one legal move."""
    legal = Ragged(np.zeros(3, np.int32), np.array([0, 2, 3]))
    batch = LabelledBatch(
        packed=np.zeros((2, 107), np.uint8),
        legal=legal,
        probs=np.array([0.75, 0.25, 1.0], np.float32),
        best=np.array([0, 2]),
        values=np.array([0.5, -1.0], np.float32),
    )
    values = torch.tensor([0.2, 0.1, -0.4])
    config = PretrainConfig.model_validate(
        {"temperature": 0.1, "label_smoothing": 0.2, "dueling": False}
    )
    policy, value = imitation_loss(values, batch, config)
    logs = np.log([np.e / (np.e + 1), 1 / (np.e + 1)])  # values differ by one temperature
    targets = np.array([0.8 * 0.75 + 0.1, 0.8 * 0.25 + 0.1])
    assert float(policy) == pytest.approx(-(targets * logs).sum() / 2, rel=1e-5)
    assert float(value) == pytest.approx((0.3**2 + 0.6**2) / 2, rel=1e-5)


def test_every_position_is_used_once_per_epoch(data: Path) -> None:
    labels = imitation(data, epochs=3)[1]
    size = len(labels.dataset.training)
    batches = [labels._rows(begin, min(begin + 32, 3 * size)) for begin in range(0, 3 * size, 32)]
    seen = np.concatenate(batches)
    for epoch in range(3):
        rows = seen[epoch * size : (epoch + 1) * size]
        assert sorted(rows.tolist()) == labels.dataset.training.tolist()
    assert not np.array_equal(seen[:size], seen[size : 2 * size])


def test_fifty_positions_can_be_overfitted(data: Path) -> None:
    settings = {"learning_rate": 0.01, "label_smoothing": 0.0, "target_sharpness": 3.0}
    learner, labels = imitation(data, hidden=(64, 32), **settings)
    labels.dataset.training = sure_ones(labels.dataset)[:50]
    labels.dataset.validation = labels.dataset.training
    labels.total = 50 * 150
    with one_thread():
        before = learner.validate()
        learner.study(0, labels.total, Stopwatch())
        after = learner.validate()
    assert after["match1"] == 1
    assert after["kl_sharpened"] < before["kl_sharpened"] / 4
    assert after["value_mse"] < before["value_mse"] / 4


def sure_ones(dataset: TeacherDataset) -> NDArray[np.int64]:
    """Positions with one clearly best move: among equals the teacher's choice is arbitrary."""
    rows = dataset.training
    taught = dataset.lesson(rows)
    surest = np.maximum.reduceat(taught.probs, taught.legal.offsets[:-1])
    sure: NDArray[np.int64] = rows[surest > 0.6]
    return sure


def test_a_run_reports_its_start_and_every_epoch(data: Path, tmp_path: Path) -> None:
    """With so little data the first step contains the first epoch."""
    config = config_of(data, epochs=12, batch_size=8, learning_rate=0.01)
    run = train(config, tmp_path / "run")
    notes = [note["note"] for note in run.notes()]
    assert notes[0].startswith("before it learned: match@1 ")
    last = run.columns()["kl"][-1]
    assert notes[-1].startswith("epoch 12: match@1 ")
    assert f"KL {last:.3f}" in notes[-1]
    assert last < float(notes[0].split("KL ")[1].split(",")[0])


def test_other_data_of_the_same_name_are_refused_on_resume(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.ndjson"
    path.write_bytes(data.read_bytes())
    config = config_of(path, batch_size=4, checkpoint_every=1)
    train(config, tmp_path / "run", Session(minutes=1e-9))
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    said: list[str] = []
    with pytest.raises(RunFailedError, match="none of the checkpoints"):
        train(config, tmp_path / "run", Session(resume=True, say=said.append))
    assert all("the data are not those" in sentence for sentence in said)
    path.write_text("".join(lines))
    assert train(config, tmp_path / "run", Session(resume=True)).status().state == "finished"


def test_a_run_with_files_resumes_exactly(data: Path, tmp_path: Path) -> None:
    config = config_of(data, batch_size=4, checkpoint_every=2)
    whole = train(config, tmp_path / "whole")
    train(config, tmp_path / "parts", Session(minutes=1e-9))
    parts = train(config, tmp_path / "parts", Session(resume=True))
    assert list(parts.metrics()) == list(whole.metrics())
    for name, array in whole.checkpoint().weights.items():
        np.testing.assert_array_equal(parts.checkpoint().weights[name], array)


def test_missing_data_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RunRefusedError, match=r"there is no file none\.ndjson"):
        train(PretrainConfig.model_validate({"data": ("none.ndjson",)}), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_dqn_can_start_from_its_weights(data: Path, tmp_path: Path) -> None:
    taught = train(config_of(data, epochs=1), tmp_path / "taught").checkpoint().weights
    dqn = LEARNERS["dqn"]
    sets = ("teacher_depth=1", "promotion_games=2", "evaluation_games=2", "cycles=2")
    config = read_config(dqn, preset="try", sets=sets)
    with dqn.open_run(config, tmp_path / "run", Session(load=taught, minutes=1e-9)) as run:
        dqn.train(config, run)
    start = RunDirectory(tmp_path / "run").checkpoint(0)
    assert start.card.player == RunDirectory(tmp_path / "taught").checkpoint().card.player
    for name, array in taught.items():
        np.testing.assert_array_equal(start.weights[name], array)
