"""Opening a run: the files it writes, and the directories it refuses."""

import json
import math
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from selfmate.runs.card import Header
from selfmate.runs.checkpoint import Policy
from selfmate.runs.run import Json, RunFailedError, RunRefusedError, Step, check_layout
from selfmate.runs.session import Session, open_run
from selfmate.runs.status import Lock, Progress
from unit.runs.kept import contents, kept
from unit.runs.toy import (
    CONFIG,
    HEADER,
    PLAYER,
    POLICY,
    STEPS,
    TOTAL,
    ToyState,
    run_toy,
    stop_at,
    train,
)

RESUME = Session(resume=True)


def with_setting(key: str, value: Json) -> Header:
    return Header("toy", {**CONFIG, key: value})


def run_metrics(
    directory: Path, metrics: Callable[[Step], dict[str, float]], state: ToyState | None = None
) -> None:
    with open_run(directory, HEADER, POLICY, Session()) as run:
        steps = run.steps(state or ToyState(), total=9, unit="episodes", player=PLAYER)
        for step in steps:
            step.record(metrics(step))


def test_the_files_of_a_run_are_readable(tmp_path: Path) -> None:
    seen: list[Progress] = []
    run = run_toy(tmp_path / "run", Session(watch=seen.append))
    assert run.finished
    files = contents(tmp_path / "run")
    document = tomllib.loads(files["config.toml"].decode())
    assert document == {"learner": "toy", "config": CONFIG}
    lines = [json.loads(line) for line in files["metrics.jsonl"].splitlines()]
    assert [line["step"] for line in lines] == list(range(1, STEPS + 1))
    assert [line["episodes"] for line in lines] == [*range(5, 56, 5), TOTAL]
    assert [progress.step for progress in seen] == [1, 2, 3, 4, *range(4, STEPS + 1)]
    by_step = {progress.step: progress for progress in seen}
    assert [by_step[line["step"]].done for line in lines] == [line["episodes"] for line in lines]
    card = json.loads(files["checkpoints/00000012/card.json"])
    assert card["player"] == PLAYER
    best = max((line["level"], line["step"]) for line in lines if line["step"] % 2 == 0)
    assert json.loads(files["best.json"])["step"] == best[1] == card["best"]["step"]
    assert json.loads(files["status.json"])["state"] == "finished"


def test_a_repeated_run_writes_the_same_files(tmp_path: Path) -> None:
    for name in ("one", "two"):
        run_toy(tmp_path / name)
    assert kept(tmp_path / "one") == kept(tmp_path / "two")


def test_a_run_is_not_overwritten(tmp_path: Path) -> None:
    run_toy(tmp_path)
    before = contents(tmp_path)
    with pytest.raises(RunRefusedError, match=r"holds a run already.*--resume.*another --run"):
        run_toy(tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("resume", [False, True])
def test_a_directory_without_a_run_is_refused_and_left_alone(tmp_path: Path, resume: bool) -> None:
    (tmp_path / "thesis.txt").write_text("three years of work")
    with pytest.raises(RunRefusedError, match="holds files but no run"):
        run_toy(tmp_path, Session(resume=resume))
    with pytest.raises(RunRefusedError, match="not a directory"):
        run_toy(tmp_path / "thesis.txt", Session(resume=resume))
    assert contents(tmp_path) == {"thesis.txt": b"three years of work"}


def test_resuming_nothing_starts_a_run(tmp_path: Path) -> None:
    run_toy(tmp_path / "whole")
    (tmp_path / "empty").mkdir()
    for name in ("absent", "empty"):
        run_toy(tmp_path / name, RESUME)
        assert kept(tmp_path / name) == kept(tmp_path / "whole")


def test_resuming_a_finished_run_changes_nothing(tmp_path: Path) -> None:
    run_toy(tmp_path)
    before = contents(tmp_path)
    state = ToyState()
    with open_run(tmp_path, HEADER, POLICY, RESUME) as run:
        assert run.finished
        train(run, state)
    assert contents(tmp_path) == before
    assert len(state.replay) == TOTAL


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (with_setting("seed", 4), "seed = 3, not 4"),
        (with_setting("rate", 1), "rate = 0.25, not 1"),
        (with_setting("adam", 1), "adam = true, not 1"),
        (with_setting("layers", [4]), r"layers = \[4,4\], not \[4\]"),
        (with_setting("new", 1), "new = nothing, not 1"),
        (Header("toy", {"seed": 3}), "rate = 0.25, not nothing"),
        (Header("ddqn", CONFIG), "a run of toy, not of ddqn"),
    ],
)
def test_another_configuration_is_refused(tmp_path: Path, header: Header, words: str) -> None:
    run_toy(tmp_path, before=stop_at(4))
    before = contents(tmp_path)
    with pytest.raises(RunRefusedError, match=words):
        run_toy(tmp_path, RESUME, header)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("text", ["", "learner = ", "[config]\n", "a = " + "[" * 9999, "\0"])
def test_a_broken_configuration_is_refused(tmp_path: Path, text: str) -> None:
    run_toy(tmp_path, before=stop_at(4))
    (tmp_path / "config.toml").write_text(text)
    before = contents(tmp_path)
    with pytest.raises(RunRefusedError, match=r"cannot be resumed.*config\.toml"):
        run_toy(tmp_path, RESUME)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "name",
    [
        *("metrics.jsonl", "timings.jsonl", "notes.jsonl", "games/samples.jsonl", "lock"),
        *("checkpoints", "pages", "games"),
    ],
)
def test_links_do_not_redirect_writes(tmp_path: Path, name: str) -> None:
    run, precious = tmp_path / "run", tmp_path / "precious"
    run_toy(run, before=stop_at(4))
    (run / name).rename(precious)
    (run / name).symlink_to(precious)
    before = contents(tmp_path)
    with pytest.raises(RunRefusedError, match=f"{name} is not a"):
        run_toy(run, RESUME)
    assert contents(tmp_path) == before


def test_two_writers_are_refused(tmp_path: Path) -> None:
    with open_run(tmp_path, HEADER, POLICY, Session()) as run:
        for step in run.steps(ToyState(), total=2, unit="episodes", player=PLAYER):
            with pytest.raises(RunRefusedError, match=r"being written by process [0-9]+"):
                run_toy(tmp_path, RESUME)
            step.record({})
    Lock(tmp_path).release()


def test_a_run_that_never_began_leaves_no_files(tmp_path: Path) -> None:
    with open_run(tmp_path / "a" / "b", HEADER, POLICY, Session()):
        pass
    with pytest.raises(ValueError, match="settings are texts"):
        run_toy(tmp_path / "c", header=with_setting("seed", None))
    other = {"w": ToyState().moment[:2]}
    with pytest.raises(RunRefusedError, match="weights to load do not fit"):
        run_toy(tmp_path / "d", Session(load=other))
    assert list(tmp_path.iterdir()) == []


def test_weights_of_another_run_are_loaded_once(tmp_path: Path) -> None:
    donor = ToyState(seed=9)
    donor.learn()
    weights = donor.save().weights
    run_toy(tmp_path / "whole", Session(load=weights))
    run_toy(tmp_path / "plain")
    assert kept(tmp_path / "whole") != kept(tmp_path / "plain")
    # Stopped before the first step was done, it resumes without the other run.
    state = ToyState()
    with open_run(tmp_path / "broken", HEADER, POLICY, Session(load=weights)) as run:
        steps = run.steps(state, total=TOTAL, unit="episodes", size=5, player=PLAYER)
        next(steps)
    check_layout(state.weights, donor.weights)
    run_toy(tmp_path / "broken", RESUME)
    assert kept(tmp_path / "broken") == kept(tmp_path / "whole")


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_metric_that_is_not_finite_ends_the_run(tmp_path: Path, bad: float) -> None:
    def metrics(step: Step) -> dict[str, float]:
        return {"loss": bad if step.number == 5 else 1.0}

    with pytest.raises(RunFailedError, match=r"loss became .* in step 5.*00000003 is still good"):
        run_metrics(tmp_path, metrics)
    assert len((tmp_path / "metrics.jsonl").read_bytes().splitlines()) == 4
    status = json.loads((tmp_path / "status.json").read_text())
    assert status["state"] == "failed"
    assert "loss became" in status["message"]


def test_weights_that_are_not_finite_are_not_saved(tmp_path: Path) -> None:
    state = ToyState()

    def metrics(step: Step) -> dict[str, float]:
        state.weights["w"] = state.weights["w"] + math.nan
        return {}

    with pytest.raises(
        RunFailedError, match=r"step 3 cannot be saved: w holds.*00000000 is still good"
    ):
        run_metrics(tmp_path, metrics, state)
    assert [path.name for path in tmp_path.glob("checkpoints/*")] == ["00000000"]


def test_steps_are_recorded_once(tmp_path: Path) -> None:
    with open_run(tmp_path, HEADER, POLICY, Session()) as run:
        steps = run.steps(ToyState(), total=9, unit="episodes", player=PLAYER)
        step = next(steps)
        with pytest.raises(RuntimeError, match="cannot be named episodes"):
            step.record({"episodes": 1})
        step.record({"loss": 1})
        with pytest.raises(RuntimeError, match="recorded twice"):
            step.record({"loss": 1})
        with pytest.raises(RuntimeError, match="steps once"):
            run.steps(ToyState(), total=9, unit="episodes", player=PLAYER)
        next(steps)
        with pytest.raises(RuntimeError, match="step 2 was not recorded"):
            next(steps)


def test_a_policy_is_checked() -> None:
    for every, last, spacing in ((0, 1, 0), (1, 0, 0), (1, 1, -1)):
        with pytest.raises(ValueError, match="at least"):
            Policy(checkpoint_every=every, keep_last=last, keep_every=spacing)
    assert Policy(checkpoint_every=1, keep_last=1, keep_every=0).keeps([1, 2, 3], best=1) == {1, 3}
