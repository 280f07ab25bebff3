"""Metrics: every number that a learner records is declared beside it, with words for people."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from selfmate.learners.config import read_config
from selfmate.learners.learner import EVALUATION, MATCH, Learner, Metric, find_metric, metrics_of
from selfmate.learners.registry import LEARNERS
from selfmate.runs.directory import RunDirectory
from selfmate.runs.session import Session

SHORT = {
    "sarsa": ["episodes=200"],
    "ddqn": ["episodes=200"],
    "reinforce": ["games=12"],
}


def recorded_names(learner: Learner, run: Path) -> Iterator[str]:
    """Names of the metrics in a run's file, apart from those that say how far it was."""
    for line in RunDirectory(run).metrics():
        yield from (name for name in line if name not in ("step", learner.unit))


@pytest.mark.parametrize("name", SHORT)
def test_every_recorded_metric_is_declared(name: str, tmp_path: Path) -> None:
    learner = LEARNERS[name]
    config = read_config(learner, preset="try", sets=SHORT[name])
    with learner.open_run(config, tmp_path / "run", Session()) as run:
        learner.train(config, run)
    recorded = set(recorded_names(learner, tmp_path / "run"))
    assert recorded
    assert not {name for name in recorded if find_metric(learner.metrics, name) is None}


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=lambda learner: learner.name)
def test_declarations_are_complete(learner: Learner) -> None:
    names = [metric.name for metric in learner.metrics]
    assert len(names) == len(set(names))
    assert all(metric.title and metric.meaning for metric in learner.metrics)
    shown = {*learner.plots, *learner.key_metrics}
    assert not {name for name in shown if find_metric(learner.metrics, name) is None}


def test_a_family_stands_for_many_names() -> None:
    score = find_metric(EVALUATION, "score_teacher_depth_1")
    assert score is not None
    assert (score.name, score.title) == ("score_teacher_depth_1", "Score vs teacher 1")
    match = find_metric((MATCH,), "match5")
    assert match is not None
    assert match.title == "Expert's move in top 5"
    assert find_metric(EVALUATION, "speed") is None


def test_a_plain_name_goes_before_a_family() -> None:
    best = Metric(name="score_best", title="Gating match", meaning="points")
    found = find_metric((*EVALUATION, best), "score_best")
    assert found is best


def test_metrics_come_in_the_order_of_their_declarations() -> None:
    loss = Metric(name="loss", title="Loss", meaning="to be minimised")
    names = ("new_number", "loss", "mean_plies_random", "score_random", "score_greedy")
    found = metrics_of((*EVALUATION, loss), names)
    assert [metric.title for metric in found] == [
        "Score vs random",
        "Score vs greedy",
        "Game length vs random",
        "Loss",
        "New number",
    ]
