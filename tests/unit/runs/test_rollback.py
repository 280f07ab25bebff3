"""A failed step: the run rolls back to its checkpoint, and its result does not change."""

import json
import os
import signal
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from selfmate.runs.directory import RunDirectory
from selfmate.runs.run import RunFailedError, SavedState, Step
from selfmate.runs.session import Session, open_run
from unit.runs.kept import result, shards_of
from unit.runs.toy import HEADER, PLAYER, POLICY, STEPS, ToyState, run_toy, stop_at, train

Moment = tuple[int, int]  # step and attempt
pytestmark = pytest.mark.usefixtures("no_flushing")


def at(*moments: Moment) -> Callable[[Step], bool]:
    return lambda step: (step.number, step.attempt) in moments


def never(step: Step) -> bool:
    return False


def bytes_of(saved: SavedState) -> tuple[object, ...]:
    parts = [saved.weights, saved.rest, *saved.shards.values()]
    arrays = [{name: array.tobytes() for name, array in part.items()} for part in parts]
    return saved.facts, list(saved.shards), arrays


def test_the_state_is_restored_and_the_rollback_announced(tmp_path: Path) -> None:
    state, steps, notices = ToyState(), list[Moment](), list[str]()
    states: dict[Moment, tuple[object, ...]] = {}

    def note(step: Step) -> None:
        steps.append((step.number, step.attempt))
        states[steps[-1]] = bytes_of(state.save())
        assert len(list(RunDirectory(tmp_path).metrics())) == step.number - 1
        assert len(list(RunDirectory(tmp_path).timings())) == step.number - 1

    with open_run(tmp_path, HEADER, POLICY, Session(say=notices.append)) as run:
        train(run, state, note, at((5, 1), (5, 2), (8, 1)))
    assert steps == [
        (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (4, 2), (5, 2), (4, 3), (5, 3),
        (6, 3), (7, 1), (8, 1), (7, 2), (8, 2), (9, 2), (10, 1), (11, 1), (12, 1),
    ]  # fmt: skip
    assert states[4, 1] == states[4, 2] == states[4, 3]
    assert states[7, 1] == states[7, 2]
    assert states[5, 1] != states[5, 2]
    checkpoints = tmp_path / "checkpoints"
    why = "failed: the toy stumbled; rolling back to"
    assert notices == [
        f"step 5 {why} {checkpoints / '00000003'}, attempt 2",
        f"step 5 {why} {checkpoints / '00000003'}, attempt 3",
        f"step 8 {why} {checkpoints / '00000006'}, attempt 2",
    ]


def test_the_first_step_can_roll_back(tmp_path: Path) -> None:
    start = ToyState().weights["w"]

    def look(step: Step) -> None:
        if step.number == 1:
            found = RunDirectory(tmp_path).checkpoint(0)
            np.testing.assert_array_equal(found.weights["w"], start)

    assert run_toy(tmp_path, before=look, fails=at((1, 1), (1, 2))).finished


def test_there_is_no_fourth_attempt(tmp_path: Path) -> None:
    moments = list[Moment]()

    def fails(step: Step) -> bool:
        moments.append((step.number, step.attempt))
        return step.number == 5

    sentence = (
        r"step 5 failed: the toy stumbled; it was the last of 3 attempts, "
        r".*/checkpoints/00000003 is still good"
    )
    with pytest.raises(RunFailedError, match=sentence):
        run_toy(tmp_path, fails=fails)
    assert moments[3:] == [(4, 1), (5, 1), (4, 2), (5, 2), (4, 3), (5, 3)]
    assert RunDirectory(tmp_path).status().state == "failed"
    assert run_toy(tmp_path, Session(resume=True), fails=never).finished


def test_later_files_are_deleted(tmp_path: Path) -> None:
    """Stopped after step 7, the run rolls back to 6 and is stopped there."""
    run_toy(tmp_path, before=stop_at(7))
    shards = set(shards_of(tmp_path / "checkpoints/00000007"))
    run_toy(tmp_path, Session(resume=True), before=stop_at(8), fails=at((8, 1)))
    assert not (tmp_path / "checkpoints/00000007").exists()
    left = set(shards_of(tmp_path / "checkpoints/00000006"))
    assert not any((tmp_path / shard).exists() for shard in shards - left)
    status = RunDirectory(tmp_path).status()
    assert (status.state, status.step, status.done) == ("stopped", 6, 30)
    assert len(list(RunDirectory(tmp_path).metrics())) == 6


def test_the_checkpoint_of_a_stop_counts_attempts(tmp_path: Path) -> None:
    run_toy(tmp_path, before=stop_at(4), fails=never)
    card = json.loads((tmp_path / "checkpoints/00000004/card.json").read_text())
    assert "attempt" not in card
    run_toy(tmp_path, Session(resume=True, minutes=0), fails=at((5, 1)))
    card = json.loads((tmp_path / "checkpoints/00000004/card.json").read_text())
    assert card["attempt"] == 2


def test_a_corrupt_checkpoint_ends_the_run_which_can_be_resumed(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    def spoil(step: Step) -> None:
        if step.number == 5:
            (tmp_path / "checkpoints/00000003/rest.safetensors").write_bytes(b"")

    sentence = r"step 5 failed: .*, and .*/00000003 cannot be used: rest.* has 0 bytes"
    with pytest.raises(RunFailedError, match=sentence):
        run_toy(tmp_path, before=spoil)
    notices = list[str]()
    run_toy(tmp_path, Session(resume=True, say=notices.append))
    assert "00000003 cannot be used" in notices[0]
    assert notices[1].endswith("00000003, attempt 2")
    assert result(tmp_path) == whole


def test_sessions_of_one_step_finish_the_run(tmp_path: Path) -> None:
    def fails(step: Step) -> bool:
        return step.number in (5, 8, 11) and step.attempt < 3

    run_toy(tmp_path / "whole", fails=fails)
    sessions = 1
    session = Session(resume=True, minutes=0)
    while not run_toy(tmp_path / "broken", session, fails=fails).finished:
        sessions += 1
        assert sessions < 2 * STEPS
    assert result(tmp_path / "broken") == result(tmp_path / "whole")


def test_a_step_is_recorded_or_rolled_back(tmp_path: Path) -> None:
    with open_run(tmp_path, HEADER, POLICY, Session()) as run:
        steps = run.steps(ToyState(), total=9, unit="cycles", player=PLAYER)
        step = next(steps)
        step.roll_back("")
        with pytest.raises(RuntimeError, match="step 1 was recorded twice"):
            step.record({})
        with pytest.raises(RuntimeError, match="step 1 was recorded twice"):
            step.roll_back("")
        step = next(steps)
        step.record({})
        with pytest.raises(RuntimeError, match="step 1 was recorded twice"):
            step.roll_back("")


class CrashError(Exception):
    pass


MOMENTS = st.tuples(st.integers(1, STEPS), st.integers(1, 2))
INTERRUPTIONS = st.lists(st.tuples(st.integers(1, 6), st.booleans()), min_size=1, max_size=6)


@settings(
    max_examples=25, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(st.sets(MOMENTS, min_size=1, max_size=8), INTERRUPTIONS)
def test_a_run_stopped_or_crashed_anywhere_resumes_bit_for_bit(
    failing: set[Moment], interruptions: list[tuple[int, bool]]
) -> None:
    """Whichever steps fail at first, and in whichever step of a session it stops or crashes."""

    def interrupt(after: int, crashes: bool) -> Callable[[Step], None]:
        steps = iter(range(1, 1000))

        def before(step: Step) -> None:
            if next(steps) == after:
                if crashes:
                    raise CrashError
                os.kill(os.getpid(), signal.SIGINT)

        return before

    with tempfile.TemporaryDirectory() as place:
        fails, broken, whole = at(*failing), Path(place, "broken"), Path(place, "whole")
        run_toy(whole, Session(say=lambda _: None), fails=fails)
        session = Session(resume=True, say=lambda _: None)
        for after, crashes in interruptions:
            with suppress(CrashError):
                run_toy(broken, session, before=interrupt(after, crashes), fails=fails)
        run_toy(broken, session, fails=fails)
        assert result(broken) == result(whole)
