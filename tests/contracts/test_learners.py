"""What every learner promises, whatever it learns."""

import json
import signal
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from contracts.learners import tiny, train
from contracts.replay import replayed
from selfmate.learners import Learner
from selfmate.learners.config import read_config
from selfmate.learners.settings import settings_of
from selfmate.presets import presets_of
from selfmate.runs.directory import RunDirectory
from selfmate.runs.on_disk import Session
from selfmate.runs.progress import Progress
from selfmate.runs.sample_game import SampleGame
from unit.cli.toy_process import outcome
from unit.learners.wrong_settings import wrong_settings

QUIET = Session(say=lambda _: None)
ONE_STEP = Session(minutes=1e-9)


def interrupted_at(step: int) -> Callable[[Progress], None]:
    def watch(progress: Progress) -> None:
        if progress.step == step:
            signal.raise_signal(signal.SIGTERM)

    return watch


@pytest.fixture
def unbroken(learner: Learner, tmp_path: Path) -> Path:
    assert train(learner, tiny(learner), tmp_path / "unbroken", QUIET).finished
    return tmp_path / "unbroken"


def test_its_figures_hold_its_plots_and_its_weights_can_be_played(
    learner: Learner, unbroken: Path
) -> None:
    lines = (unbroken / "metrics.jsonl").read_text().splitlines()
    figures = {name for line in lines for name in json.loads(line)}
    assert len(lines) >= 2
    assert figures >= {"step", learner.unit, *learner.plots}
    found = RunDirectory(unbroken).checkpoint()
    assert found.weights
    assert found.card.player


def test_who_plays_shows_games_that_go_by_the_rules(learner: Learner, unbroken: Path) -> None:
    run = RunDirectory(unbroken)
    samples = list(run.samples())
    assert bool(samples) == (learner.verb == "train")
    steps = [sample["step"] for sample in samples]
    assert steps == sorted(set(steps))
    assert set(steps) <= {line["step"] for line in run.metrics()}
    for sample in samples:
        assert set(sample) == {"step", *(field.name for field in fields(SampleGame))}
        assert replayed(sample) == (sample["result"], sample["reason"])


def test_it_repeats_under_a_seed_and_differs_under_another(
    learner: Learner, unbroken: Path, tmp_path: Path
) -> None:
    train(learner, tiny(learner), tmp_path / "again", QUIET)
    assert outcome(tmp_path / "again") == outcome(unbroken)
    other = tiny(learner, seed=tiny(learner).seed + 1)
    train(learner, other, tmp_path / "other", QUIET)
    weights = "weights.safetensors"
    ends = [max((run / "checkpoints").iterdir()) for run in (unbroken, tmp_path / "other")]
    assert (ends[0] / weights).read_bytes() != (ends[1] / weights).read_bytes()


def test_it_resumes_exactly(learner: Learner, unbroken: Path, tmp_path: Path) -> None:
    broken, config = tmp_path / "broken", tiny(learner)
    steps = len((unbroken / "metrics.jsonl").read_text().splitlines())
    train(learner, config, broken, ONE_STEP)
    train(learner, config, broken, Session(resume=True, minutes=1e-9))
    assert RunDirectory(broken).status().step == 2
    middle = Session(resume=True, watch=interrupted_at(max(3, steps // 2)))
    assert train(learner, config, broken, middle).stopped_by == signal.SIGTERM or steps <= 3
    assert train(learner, config, broken, Session(resume=True)).finished
    assert outcome(broken) == outcome(unbroken)


def test_it_begins_with_the_weights_of_another_run(
    learner: Learner, unbroken: Path, tmp_path: Path
) -> None:
    weights = RunDirectory(unbroken).checkpoint().weights
    train(learner, tiny(learner), tmp_path / "more", Session(load=weights, minutes=1e-9))
    start = RunDirectory(tmp_path / "more").checkpoint(0).weights
    assert start.keys() == weights.keys()
    assert all((start[name] == weights[name]).all() for name in weights)


def test_weights_that_do_not_fit_are_refused(learner: Learner, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        train(learner, tiny(learner), tmp_path / "run", Session(load={}))
    assert not (tmp_path / "run").exists()


def test_it_refuses_wrong_settings(learner: Learner) -> None:
    settings = settings_of(learner.config_class)
    for key, value in wrong_settings(learner.config_class):
        with pytest.raises(ValueError, match=f"^{key} cannot be ") as caught:
            read_config(learner, sets=[f"{key}={value}"])
        assert str(caught.value).endswith(f"allowed is {settings[key].allowed}")


def test_every_setting_has_help_and_an_allowed_default(learner: Learner) -> None:
    for setting in settings_of(learner.config_class).values():
        assert setting.description, setting.name
        assert "\n" not in setting.description
    defaults = learner.config_class()
    assert type(defaults).model_validate(defaults.model_dump()) == defaults


def test_its_presets_can_be_used_and_one_is_tiny(learner: Learner) -> None:
    assert "tiny" in presets_of(learner.name)
    for preset in presets_of(learner.name):
        assert read_config(learner, preset=preset).changed()
