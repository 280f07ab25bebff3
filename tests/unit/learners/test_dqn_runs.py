"""Runs of the chess DQN: rollback, resuming, the best version, alarms."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.transitions import Transitions
from selfmate.learners.config import Config, read_config
from selfmate.learners.dqn.learner import Dqn
from selfmate.learners.learner import find_metric
from selfmate.learners.registry import LEARNERS
from selfmate.runs.directory import RunDirectory
from selfmate.runs.run import RunFailedError
from selfmate.runs.session import DiskRun, Session
from unit.runs.kept import result

DQN = LEARNERS["dqn"]
Attempt = tuple[int, int, bytes]


def quick(*sets: str) -> Config:
    return read_config(DQN, preset="try", sets=sets)


def train(config: Config, directory: Path, session: Session | None = None) -> DiskRun:
    with DQN.open_run(config, directory, session or Session(say=lambda _: None)) as run:
        DQN.train(config, run)
    return run


def resumed(config: Config, directory: Path) -> Dqn:
    """What is in the last checkpoint of a finished run."""
    dqn = Dqn(config)  # type: ignore[arg-type]
    with DQN.open_run(config, directory, Session(resume=True)) as run:
        assert list(dqn.steps(run)) == []
    return dqn


def spoil(monkeypatch: pytest.MonkeyPatch, when: Callable[[Any, int], bool]) -> list[Attempt]:
    """Makes the targets of some updates NaN, chosen by step and number in the step. Returns the
    attempts: step, attempt, and the games that were played."""
    steps: list[Any] = []
    attempts: list[Attempt] = []
    numbers: list[int] = []
    targets, learn = Dqn.targets, Dqn.learn

    def watched(self: Dqn, step: Any, *rest: Any) -> dict[str, float]:
        steps.append(step)
        numbers.append(0)
        *_, newest = self.replay.main.shards.values()
        attempts.append((step.number, step.attempt, newest.actions.tobytes()))
        return learn(self, step, *rest)

    def spoiled(self: Dqn, batch: Transitions, cycle: int) -> NDArray[np.float32]:
        numbers[-1] += 1
        found = targets(self, batch, cycle)
        return found * np.float32(np.nan) if when(steps[-1], numbers[-1]) else found

    monkeypatch.setattr(Dqn, "learn", watched)
    monkeypatch.setattr(Dqn, "targets", spoiled)
    return attempts


def test_three_skipped_updates_are_tolerated_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoil(monkeypatch, lambda step, number: step.number == 2 and number in (1, 2, 6))
    train(quick("cycles=2", "evaluate_every=9"), tmp_path / "run")
    skipped = RunDirectory(tmp_path / "run").columns()["skipped_updates"]
    updates = RunDirectory(tmp_path / "run").columns()["updates"]
    assert skipped.tolist() == [0, 3]
    assert updates.tolist() == [6, 9]


def test_more_skipped_updates_roll_back_to_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cycle 4 fails once. The result is the same if the run is interrupted."""
    attempts = spoil(monkeypatch, lambda step, number: (step.number, step.attempt) == (4, 1))
    said: list[str] = []
    config = quick("evaluate_every=9")
    assert train(config, tmp_path / "whole", Session(say=said.append)).finished
    moments = [(number, attempt) for number, attempt, _ in attempts]
    assert moments == [(1, 1), (2, 1), (3, 1), (4, 1), (3, 2), (4, 2), (5, 1)]
    assert attempts[2][2] != attempts[4][2], "the new attempt plays other games"
    (back,) = [sentence for sentence in said if "rolling back" in sentence]
    assert back.startswith("step 4 failed: 4 updates were skipped")
    assert back.endswith("checkpoints/00000002, attempt 2")
    columns = RunDirectory(tmp_path / "whole").columns()
    assert columns["step"].tolist() == [1, 2, 3, 4, 5]
    assert columns["updates"].tolist() == [6, 12, 18, 24, 30]
    pause = Session(say=lambda _: None, resume=True, minutes=1e-9)
    while not train(config, tmp_path / "broken", pause).finished:
        pass
    assert result(tmp_path / "broken") == result(tmp_path / "whole")


def test_repeated_divergence_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with fewer updates than may be skipped."""
    spoil(monkeypatch, lambda step, number: True)
    with pytest.raises(RunFailedError, match=r"2 updates were skipped.*last of 3 attempts"):
        train(quick("updates=2"), tmp_path / "run")
    assert RunDirectory(tmp_path / "run").status().state == "failed"


def test_other_errors_are_not_taken_for_divergence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Dqn, "evaluate", lambda *_: {"figure": 1 / 0})
    with pytest.raises(ZeroDivisionError):
        train(quick("evaluate_every=1"), tmp_path / "run")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("whole") / "run"
    assert train(quick(), directory).finished
    return directory


def test_the_tiny_preset_exercises_all_state_that_is_resumed(whole: Path) -> None:
    """Old shards were dropped, from both buffers, past bests are kept, priorities differ."""
    card = RunDirectory(whole).checkpoint().card
    games = [name for name in card.shards if name.startswith("games-")]
    bests = [name for name in card.shards if name.startswith("best-")]
    assert games[-1] == "games-00000005"
    assert games[0] > "games-00000001"
    assert len(bests) >= 2
    best_games = [name for name in card.shards if name.startswith("high-quality-")]
    assert best_games[0] > "high-quality-games-00000001"
    assert best_games[-1] == "high-quality-games-00000005"
    dqn = resumed(quick(), whole)
    assert len(np.unique(dqn.replay.arrays()["priorities"])) > 50
    assert [name for name, _ in dqn.opponents.past] == bests


@pytest.mark.parametrize("steps", [1, 4])
def test_an_interrupted_run_has_the_same_result(steps: int, whole: Path, tmp_path: Path) -> None:
    """Interrupted after each of the first steps."""
    for _ in range(steps):
        train(quick(), tmp_path / "run", Session(resume=True, say=lambda _: None, minutes=1e-9))
    assert RunDirectory(tmp_path / "run").status().step == steps
    assert train(quick(), tmp_path / "run", Session(resume=True, say=lambda _: None)).finished
    assert result(tmp_path / "run") == result(whole)


def test_best_names_the_promoted_step_and_its_weights(tmp_path: Path) -> None:
    """With promotion = half a tie is enough, and untrained nets tie."""
    config = quick("cycles=3", "promotion_every=2", "evaluate_every=9")
    train(config, tmp_path / "run")
    run = RunDirectory(tmp_path / "run")
    promoted = run.columns()["promoted"]
    steps = [1 + i for i in range(3) if promoted[i] == 1]
    assert steps
    assert json.loads((tmp_path / "run/best.json").read_text())["step"] == steps[-1]
    found = run.checkpoint("best")
    assert found.card.step == steps[-1]
    for name, array in resumed(config, tmp_path / "run").opponents.best.arrays().items():
        np.testing.assert_array_equal(array, found.weights[name])


def test_an_unpromoted_net_is_not_the_best(tmp_path: Path) -> None:
    """Two games prove nothing, so by the interval nobody is promoted."""
    sets = ("cycles=3", "promotion=interval", "promotion_every=1", "evaluate_every=9")
    train(quick(*sets), tmp_path / "run")
    run = RunDirectory(tmp_path / "run")
    assert run.columns()["promoted"].tolist() == [0, 0, 0]
    assert run.best() is None
    assert not any("best-" in name for name in run.checkpoint().card.shards)
    assert sum("not promoted" in note["note"] for note in run.notes()) == 3


def test_games_that_repeat_themselves_raise_an_alarm(tmp_path: Path) -> None:
    others = [f"vs_{name}=0.0" for name in ("best", "past", "teacher_1", "teacher_2", "random")]
    sets = (
        "openings=false", "endgame_fraction=0.0", "epsilon=0.0", "epsilon_end=0.0", "games=20",
        "max_plies=10", "cycles=1", "promotion_every=9", "replay_size=500", *others,
    )  # fmt: skip
    said: list[str] = []
    train(quick(*sets), tmp_path / "run", Session(say=said.append))
    run = RunDirectory(tmp_path / "run")
    assert run.columns()["distinct_games"].tolist() == [1]
    alarm = "Only 1 of the last 20 games were different"
    assert any(sentence.startswith(alarm) for sentence in said)
    assert any(note["note"].startswith(alarm) and note["step"] == 1 for note in run.notes())


def test_masks_and_target_updates_are_printed_in_the_first_cycle(tmp_path: Path) -> None:
    """By the preset that is made for it; those of later cycles are kept without being printed."""
    sets = ("cycles=2", "max_plies=40", "evaluate_every=9", "promotion_every=9", "hidden=[8]")
    config = read_config(DQN, preset="debug-masking", sets=sets)
    said: list[str] = []
    train(config, tmp_path / "run", Session(say=said.append))
    assert said[0] == "next-state masking is enabled: targets maximize over legal moves alone"
    assert re.fullmatch(r"masking applied: \d+\.\d legal next moves a sample in update 1", said[1])
    synchronized = "target net synchronized at update {} (every 20 updates)"
    assert said[2:4] == [synchronized.format(20), synchronized.format(40)]
    notes = [(note["step"], note["note"]) for note in RunDirectory(tmp_path / "run").notes()]
    assert notes[4:7] == [(2, synchronized.format(number)) for number in (60, 80, 100)]
    assert synchronized.format(60) not in said


def test_updates_are_logged_one_by_one_with_moving_averages(whole: Path) -> None:
    run = RunDirectory(whole)
    updates, columns = run.updates(), run.columns()
    assert updates["update"].tolist() == list(range(1, 31))
    for name in ("loss", "gradient_norm", "entropy", "td_error"):
        of_cycles = updates[name].reshape(5, 6)
        assert columns[name] == pytest.approx(of_cycles.mean(axis=1), rel=1e-4)
        average, ends = updates[name][0], []
        for value in updates[name]:
            average += 0.01 * (value - average)
            ends.append(average)
        assert columns[f"{name}_ema"] == pytest.approx(ends[5::6], rel=1e-4)


def test_every_metric_of_a_run_is_declared(whole: Path) -> None:
    recorded = RunDirectory(whole).columns().keys() - {"step", "cycles"}
    assert {"win_rate", "draw_rate", "won_random", "illegal_moves", "loss_ema"} <= recorded
    assert not {name for name in recorded if find_metric(DQN.metrics, name) is None}


def test_rates_of_self_play_are_fractions_of_all_games(whole: Path) -> None:
    columns = RunDirectory(whole).columns()
    assert columns["win_rate"] == pytest.approx(columns["mates"] / columns["games"])
    truncated = columns["truncated_games"] / columns["games"]
    assert columns["win_rate"] + columns["draw_rate"] + truncated == pytest.approx(np.ones(5))


def test_a_run_does_not_depend_on_its_threads(whole: Path, tmp_path: Path) -> None:
    sets = ("cycles=2", "evaluate_every=9", "promotion_every=9")
    for threads in (1, 3):
        train(quick(*sets, f"threads={threads}"), tmp_path / str(threads))
    one, three = (RunDirectory(tmp_path / name) for name in "13")
    assert list(one.metrics()) == list(three.metrics())
    assert list(one.samples()) == list(three.samples())
    cards = [run.checkpoint().card for run in (one, three)]
    assert cards[0].shards == cards[1].shards
    assert cards[0].files == cards[1].files


def test_timings_have_the_parts_of_a_cycle(whole: Path) -> None:
    parts = {
        "self_play", "encoding", "move_generation", "labelling",
        "sampling", "forward", "backward", "evaluation",
    }  # fmt: skip
    for timing in RunDirectory(whole).timings():
        assert timing["parts"].keys() == parts
        assert 0 < sum(timing["parts"].values()) <= timing["seconds"]
    assert not any(part in (whole / "metrics.jsonl").read_text() for part in ("seconds", "time"))
