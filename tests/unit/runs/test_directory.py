"""Runs as the command line and the page read them."""

import json
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from selfmate.runs.card import Best, Card
from selfmate.runs.directory import RunDirectory, delete_run, list_runs
from selfmate.runs.run import CorruptError, RunRefusedError, Step
from selfmate.runs.session import Session, open_run
from unit.runs.kept import contents
from unit.runs.toy import CONFIG, HEADER, PLAYER, POLICY, ToyState, run_toy, stop_at


def test_a_run_reports_settings_status_metrics_and_best(tmp_path: Path) -> None:
    run_toy(tmp_path)
    run = RunDirectory(tmp_path)
    assert (run.learner, run.config) == ("toy", CONFIG)
    assert run.status().state == "finished"
    columns = run.columns()
    assert columns["episodes"].tolist() == [*range(5, 56, 5), 57]
    assert columns["seen"].tolist() == columns["episodes"].tolist()
    best = run.best()
    assert best is not None
    assert math.isclose(best.score, columns["level"][best.step - 1], rel_tol=1e-6)
    assert all(line["seconds"] >= 0 for line in run.timings())


def test_a_run_is_read_while_it_is_written(tmp_path: Path) -> None:
    states = []

    def look(step: Step) -> None:
        run = RunDirectory(tmp_path)
        status = run.status()
        states.append(status.state)
        assert status.pid == os.getpid()
        assert len(list(run.metrics())) == step.number - 1

    run_toy(tmp_path, before=look)
    assert states == ["running"] * (12 + 2)  # two steps were repeated


def test_an_incomplete_line_is_not_read(tmp_path: Path) -> None:
    run_toy(tmp_path)
    data = (tmp_path / "metrics.jsonl").read_bytes()
    for length in range(len(data) - 60, len(data)):
        (tmp_path / "metrics.jsonl").write_bytes(data[:length])
        assert len(list(RunDirectory(tmp_path).metrics())) == 11


@pytest.mark.parametrize("text", ["", "[]", '{"state": 1}', '{"state": "flying"}', '{"x": 1}'])
def test_without_a_readable_status_a_run_counts_as_killed(tmp_path: Path, text: str) -> None:
    run_toy(tmp_path)
    (tmp_path / "status.json").write_text(text)
    assert RunDirectory(tmp_path).status().state == "killed"


def test_metrics_of_some_steps_are_columns_with_gaps(tmp_path: Path) -> None:
    with open_run(tmp_path, HEADER, POLICY, Session()) as run:
        for step in run.steps(ToyState(), total=4, unit="cycles", player=PLAYER):
            step.record({"loss": 1.5} if step.number % 2 else {"wins": 3})
    columns = RunDirectory(tmp_path).columns()
    np.testing.assert_array_equal(columns["loss"], [1.5, np.nan, 1.5, np.nan])
    np.testing.assert_array_equal(columns["wins"], [np.nan, 3, np.nan, 3])


def test_versions_of_the_weights(tmp_path: Path) -> None:
    state = ToyState()
    saved: dict[int, np.ndarray[tuple[int, ...], np.dtype[np.float32]]] = {}

    def keep(step: Step) -> None:
        saved[step.number - 1] = state.weights["w"].copy()

    with open_run(tmp_path, HEADER, POLICY, Session()) as run:
        for step in run.steps(state, total=12, unit="episodes", player=PLAYER):
            keep(step)
            state.learn()
            step.record({}, score=-abs(step.number - 7))
    keep_last = RunDirectory(tmp_path).checkpoint("last")
    assert keep_last.card.step == 12
    for version, step_number in (("best", 7), (9, 9), ("9", 9)):
        found = RunDirectory(tmp_path).checkpoint(version)
        assert found.card.step == step_number
        np.testing.assert_array_equal(found.weights["w"], saved[step_number])
        assert found.card.player == PLAYER
        assert found.passed_over == ()


def test_corrupt_versions_are_skipped_and_named(tmp_path: Path) -> None:
    run_toy(tmp_path)
    run = RunDirectory(tmp_path)
    for step in (2, 12):
        (tmp_path / f"checkpoints/{step:08d}/weights.safetensors").write_bytes(b"")
    (tmp_path / "checkpoints/00000006/card.json").write_bytes(b"")
    for version in ("best", "last"):
        found = run.checkpoint(version)
        assert found.card.step == 9
        assert "00000012 cannot be used: weights.safetensors has 0 bytes" in found.passed_over[-1]
    with pytest.raises(RunRefusedError, match="00000012 cannot be used"):
        run.checkpoint(12)
    kinds = {step: type(card) for step, card in run.checkpoints().items()}
    assert kinds == {0: Card, 2: Card, 6: CorruptError, 9: Card, 12: Card}


@pytest.mark.parametrize("version", ["newest", "", "-1", "7", 7, "٣"])
def test_unknown_versions_are_refused_with_what_there_is(
    tmp_path: Path, version: str | int
) -> None:
    run_toy(tmp_path)
    with pytest.raises(RunRefusedError, match=r"last, best or one of 0, 2, 6, 9, 12"):
        RunDirectory(tmp_path).checkpoint(version)


@pytest.mark.parametrize(
    "text", [None, "", "[]", '{"step": "2", "score": 1}', '{"step": 2}', '{"step": 9, "score": 1}']
)
def test_the_cards_know_the_best_whatever_best_json_says(tmp_path: Path, text: str | None) -> None:
    run_toy(tmp_path)
    run = RunDirectory(tmp_path)
    best = Best(2, json.loads((tmp_path / "best.json").read_text())["score"])
    assert (run.best(), run.notices()) == (best, [])
    (tmp_path / "best.json").unlink()
    if text is not None:
        (tmp_path / "best.json").write_text(text)
    assert run.best() == best
    assert run.checkpoint("best").card.step == 2
    (notice,) = run.notices()
    assert "best.json" in notice
    assert "by the cards" in notice


def test_damaged_lines_are_left_out_and_said(tmp_path: Path) -> None:
    run_toy(tmp_path)
    path = tmp_path / "metrics.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], lines[3].replace(b"20", b"21"), *lines[4:]]))
    run = RunDirectory(tmp_path)
    assert [line["step"] for line in run.metrics()] == [1, 2, 3, *range(5, 13)]
    assert run.notices() == ["line 4 of metrics.jsonl is damaged and left out"]
    said: list[str] = []
    (tmp_path / "status.json").unlink()
    run_toy(tmp_path, Session(resume=True, say=said.append))
    assert said == [f"{tmp_path}: line 4 of metrics.jsonl is damaged and left out"]


def test_runs_are_listed_and_deleted(tmp_path: Path) -> None:
    assert list_runs(tmp_path / "absent") == []
    for name in ("b", "a"):
        run_toy(tmp_path / name, before=stop_at(2))
    (tmp_path / "c").mkdir()
    (tmp_path / "d.txt").write_text("no run")
    shutil.copytree(tmp_path / "a", tmp_path / ".deleted-a")  # as a kill may leave it
    assert [run.path.name for run in list_runs(tmp_path)] == ["a", "b"]
    delete_run(tmp_path / "a")
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["b", "c", "d.txt"]


def test_what_must_not_be_deleted(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text('name = "something else"')
    run_toy(tmp_path / "run")
    (tmp_path / "link").symlink_to(tmp_path / "run")
    before = contents(tmp_path)
    for name, words in (("home", "not a run"), ("absent", "not a run"), ("link", "is a link")):
        with pytest.raises(RunRefusedError, match=words):
            delete_run(tmp_path / name)
    assert contents(tmp_path) == before
    with open_run(tmp_path / "running", HEADER, POLICY, Session()) as run:
        next(run.steps(ToyState(), total=4, unit="cycles", player=PLAYER))
        with pytest.raises(RunRefusedError, match="being written by process"):
            delete_run(tmp_path / "running")
