"""What every learner promises, whatever it learns."""

import json
import random
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

import pytest

from contracts.learners import TRY, quick, train
from contracts.reference import Reference
from contracts.replay import replayed
from selfmate.learners.config import read_config, settings_of
from selfmate.learners.learner import Learner
from selfmate.presets import presets_of
from selfmate.runs import activity, manager
from selfmate.runs.activity import Activity
from selfmate.runs.directory import RunDirectory
from selfmate.runs.run import SampleGame
from selfmate.runs.session import Session
from selfmate.runs.signals import STOPPING
from selfmate.runs.status import Progress
from unit.cli.process import selfmate
from unit.cli.toy_process import outcome
from unit.learners.toy import TOY
from unit.learners.wrong_settings import wrong_settings

QUIET = Session(say=lambda _: None)
ONE_STEP = Session(minutes=1e-9)


def interrupted_at(step: int) -> Callable[[Progress], None]:
    def watch(progress: Progress) -> None:
        if progress.step == step:
            signal.raise_signal(signal.SIGTERM)

    return watch


def test_a_run_finishes_with_its_plotted_metrics_and_a_player(
    learner: Learner, reference: Reference
) -> None:
    run = RunDirectory(reference.run)
    assert run.status().state == "finished"
    lines = list(run.metrics())
    metrics = {name for line in lines for name in line}
    assert len(lines) >= 2
    assert metrics >= {"step", learner.unit, *learner.plots}
    found = run.checkpoint()
    assert found.weights
    assert found.card.player
    assert not [note for note in run.notes() if note.get("alarm")]


def test_a_whole_run_is_inspected_without_complaint(reference: Reference) -> None:
    shown = selfmate("inspect", str(reference.run), "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    report = json.loads(shown.stdout)
    assert report["figures"]
    assert not any(entry["damage"] for entry in report["checkpoints"])


def test_a_learner_that_plays_shows_legal_games(learner: Learner, reference: Reference) -> None:
    run = RunDirectory(reference.run)
    samples = list(run.samples())
    assert bool(samples) == (learner.verb == "train")
    steps = [sample["step"] for sample in samples]
    assert steps == sorted(set(steps))
    assert set(steps) <= {line["step"] for line in run.metrics()}
    for sample in samples:
        assert set(sample) == {"step", *(field.name for field in fields(SampleGame))}
        assert replayed(sample) == (sample["result"], sample["reason"])


def test_the_seed_decides_the_run(learner: Learner, reference: Reference, tmp_path: Path) -> None:
    assert train(learner, quick(learner), tmp_path / "again", QUIET).finished
    assert outcome(tmp_path / "again") == outcome(reference.run)
    other = quick(learner, seed=quick(learner).seed + 1)
    train(learner, other, tmp_path / "other", QUIET)
    weights = "weights.safetensors"
    ends = [max((run / "checkpoints").iterdir()) for run in (reference.run, tmp_path / "other")]
    assert (ends[0] / weights).read_bytes() != (ends[1] / weights).read_bytes()


def test_a_stopped_run_resumes_bit_for_bit(
    learner: Learner, reference: Reference, tmp_path: Path
) -> None:
    stopped, config = tmp_path / "stopped", quick(learner)
    steps = len(list(RunDirectory(reference.run).metrics()))
    train(learner, config, stopped, ONE_STEP)
    train(learner, config, stopped, Session(resume=True, minutes=1e-9))
    assert RunDirectory(stopped).status().step == 2
    middle = Session(resume=True, watch=interrupted_at(max(3, steps // 2)))
    assert train(learner, config, stopped, middle).stopped_by == signal.SIGTERM or steps <= 3
    assert train(learner, config, stopped, Session(resume=True)).finished
    assert outcome(stopped) == outcome(reference.run)


class Presses:
    """Presses Ctrl-C within a step, at the n-th tick of a session."""

    def __init__(self, tick: int, times: int = 1) -> None:
        self._left, self._times = tick, times

    def __call__(self, activity: Activity) -> None:
        self._left -= 1
        if self._left == 0:
            for _ in range(self._times):
                signal.raise_signal(signal.SIGINT)


@pytest.fixture
def heard_within_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in steps of seconds: every tick is looked at, and every state is copied."""
    monkeypatch.setattr(activity, "SECONDS_BETWEEN_TICKS", 0)
    monkeypatch.setattr(manager, "SLOW_STEP_SECONDS", 0)


@pytest.mark.usefixtures("heard_within_steps")
def test_a_run_stopped_within_its_steps_resumes_bit_for_bit(
    learner: Learner, reference: Reference, tmp_path: Path
) -> None:
    """One Ctrl-C stops a run with a sentence, two end it at once."""
    stopped, config, rng = tmp_path / "stopped", quick(learner), random.Random(learner.name)
    for tick in (2, rng.randint(3, 30), rng.randint(30, 300)):
        said = list[str]()
        once = Session(resume=True, watch_step=Presses(tick), say=said.append)
        run = train(learner, config, stopped, once)
        assert run.finished or (run.stopped_by == signal.SIGINT and STOPPING in said)
        if tick == 2 and learner is not TOY:  # the toy does not tick
            assert (run.finished, RunDirectory(stopped).status().step) == (False, 0)
        twice = Session(resume=True, watch_step=Presses(tick, times=2), say=said.append)
        with suppress(KeyboardInterrupt):
            assert train(learner, config, stopped, twice).finished
    assert train(learner, config, stopped, Session(resume=True)).finished
    assert outcome(stopped) == outcome(reference.run)


def test_a_run_starts_from_the_weights_of_another(
    learner: Learner, reference: Reference, tmp_path: Path
) -> None:
    weights = RunDirectory(reference.run).checkpoint().weights
    train(learner, quick(learner), tmp_path / "more", Session(load=weights, minutes=1e-9))
    start = RunDirectory(tmp_path / "more").checkpoint(0).weights
    assert start.keys() == weights.keys()
    assert all((start[name] == weights[name]).all() for name in weights)


def test_weights_that_do_not_fit_are_refused(learner: Learner, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        train(learner, quick(learner), tmp_path / "run", Session(load={}))
    assert not (tmp_path / "run").exists()


def test_wrong_settings_are_refused(learner: Learner) -> None:
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


def test_presets_are_valid_and_one_takes_seconds(learner: Learner) -> None:
    assert TRY in presets_of(learner.name)
    for preset in presets_of(learner.name):
        assert read_config(learner, preset=preset).changed()
