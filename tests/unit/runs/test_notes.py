"""Notes of steps, the step that the learner calls the best, and the parts of a step's time."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from selfmate.runs.directory import RunDirectory
from selfmate.runs.run import Step
from selfmate.runs.session import DiskRun, Session, open_run
from unit.runs.kept import result
from unit.runs.toy import HEADER, PLAYER, POLICY, ToyState

pytestmark = pytest.mark.usefixtures("no_flushing")
STEPS = 8
BEST = (2, 5)  # by the learner's decision, whatever the scores


def run_with_notes(
    directory: Path,
    session: Session | None = None,
    before: Callable[[Step], None] = lambda step: None,
) -> DiskRun:
    """Adds notes in every step; step 4, after checkpoint 3, fails once."""
    state = ToyState()
    with open_run(directory, HEADER, POLICY, session or Session()) as run:
        for step in run.steps(state, total=STEPS, unit="cycles", player=PLAYER):
            before(step)
            state.learn(step.attempt)
            step.say(f"step {step.number}, attempt {step.attempt}")
            step.say("and more")
            if (step.number, step.attempt) == (4, 1):
                step.roll_back("it stumbled")
                continue
            seconds = {"playing": 0.25, "learning": 0.125} if step.number > 1 else None
            score = 10.0 - step.number
            step.record({"level": 1}, score, best=step.number in BEST, seconds=seconds)
    return run


def notes_of(directory: Path) -> list[tuple[int, str]]:
    return [(line["step"], line["note"]) for line in RunDirectory(directory).notes()]


def expected(steps: int) -> list[tuple[int, str]]:
    attempts = [2 if number in (4, 5) else 1 for number in range(1, steps + 1)]
    return [
        note
        for number, attempt in enumerate(attempts, 1)
        for note in ((number, f"step {number}, attempt {attempt}"), (number, "and more"))
    ]


def test_a_note_that_is_not_aloud_is_saved_and_not_printed(tmp_path: Path) -> None:
    printed: list[str] = []
    session = Session(say=printed.append)
    with open_run(tmp_path, HEADER, POLICY, session) as run:
        for step in run.steps(ToyState(), total=1, unit="cycles", player=PLAYER):
            step.say("hear", aloud=True)
            step.say("hush", aloud=False)
            step.say("help", alarm=True)
            step.record({})
    assert printed == ["hear", "help"]
    assert list(RunDirectory(tmp_path).notes()) == [
        {"step": 1, "note": "hear"},
        {"step": 1, "note": "hush", "aloud": False},
        {"step": 1, "note": "help", "alarm": True},
    ]


def test_notes_are_printed_and_saved_with_their_step(tmp_path: Path) -> None:
    printed: list[str] = []
    run_with_notes(tmp_path, Session(say=printed.append))
    assert notes_of(tmp_path) == expected(STEPS)
    (rollback,) = [sentence for sentence in printed if "rolling back" in sentence]
    assert [sentence for sentence in printed if sentence != rollback] == [
        note for _, note in expected(STEPS)
    ], "the notes of a failed step are not printed"


def test_notes_are_the_same_if_a_run_is_paused_or_crashes(tmp_path: Path) -> None:
    def die(step: Step) -> None:
        if step.number == 6:
            raise KeyError

    run_with_notes(tmp_path / "whole", Session(say=lambda _: None))
    quiet = Session(say=lambda _: None, resume=True)
    run_with_notes(tmp_path / "broken", Session(say=lambda _: None, minutes=1e-9))
    with pytest.raises(KeyError):
        run_with_notes(tmp_path / "broken", quiet, before=die)
    assert notes_of(tmp_path / "broken") == expected(5)
    run_with_notes(tmp_path / "broken", quiet)
    assert result(tmp_path / "broken") == result(tmp_path / "whole")


def test_a_run_without_notes_has_none(tmp_path: Path) -> None:
    with open_run(tmp_path, HEADER, POLICY, Session()) as run:
        for step in run.steps(ToyState(), total=2, unit="cycles", player=PLAYER):
            step.record({})
    assert notes_of(tmp_path) == []


def test_the_best_is_the_one_the_learner_names(tmp_path: Path) -> None:
    """Step 5 has a lower score than 2, and 1, which was not called the best, the highest."""
    run_with_notes(tmp_path)
    assert json.loads((tmp_path / "best.json").read_text())["step"] == 5
    assert RunDirectory(tmp_path).checkpoint("best").card.step == 5


def test_a_best_step_needs_a_score(tmp_path: Path) -> None:
    with open_run(tmp_path, HEADER, POLICY, Session()) as run:
        step = next(iter(run.steps(ToyState(), total=2, unit="cycles", player=PLAYER)))
        with pytest.raises(RuntimeError, match="the best step must have a score"):
            step.record({}, best=True)


def test_timings_have_the_parts_that_a_learner_reported(tmp_path: Path) -> None:
    run_with_notes(tmp_path)
    timings = list(RunDirectory(tmp_path).timings())
    assert [timing["step"] for timing in timings] == list(range(1, STEPS + 1))
    assert "parts" not in timings[0]
    assert all(t["parts"] == {"playing": 0.25, "learning": 0.125} for t in timings[1:])
    assert "playing" not in (tmp_path / "metrics.jsonl").read_text()
