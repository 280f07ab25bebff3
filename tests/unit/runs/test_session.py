"""How a session ends: signals, the clock, a full disk. What was saved stays good, and resumes."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from selfmate.runs import activity, manager
from selfmate.runs.activity import Activity
from selfmate.runs.directory import RunDirectory
from selfmate.runs.run import RunFailedError, Step
from selfmate.runs.session import FIRST_STEP, Session
from selfmate.runs.signals import STOPPING
from selfmate.runs.status import SessionTimer
from unit.runs.kept import result
from unit.runs.toy import run_toy, stop_at

TESTS = Path(__file__).parents[2]
RESUME = Session(resume=True)


def toy(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "unit.runs.toy", *arguments],
        cwd=cwd, env={**os.environ, "PYTHONPATH": path_with_tests()},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def path_with_tests() -> str:
    return os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_signals_save_and_stop(
    tmp_path: Path, whole: dict[str, bytes], name: str, code: int
) -> None:
    assert toy("run", "--signals", name, cwd=tmp_path).returncode == code
    status = RunDirectory(tmp_path / "run").status()
    assert (status.state, status.step) == ("stopped", 5)
    assert (tmp_path / "run/checkpoints/00000005").is_dir()
    assert toy("run", "--resume", cwd=tmp_path).returncode == 0
    assert result(tmp_path / "run") == whole


@pytest.mark.parametrize(
    ("names", "state", "code"),
    [
        (["SIGUSR1"], "paused", 0),
        (["SIGUSR1", "SIGUSR1"], "paused", 0),
        (["SIGUSR1", "SIGINT"], "stopped", 130),
        (["SIGTERM", "SIGUSR1"], "stopped", 143),
    ],
)
def test_a_signal_pauses_a_run_unless_another_stops_it(
    tmp_path: Path, whole: dict[str, bytes], names: list[str], state: str, code: int
) -> None:
    assert toy("run", "--signals", *names, cwd=tmp_path).returncode == code
    status = RunDirectory(tmp_path / "run").status()
    assert (status.state, status.step) == (state, 5)
    run_toy(tmp_path / "run", RESUME)
    assert result(tmp_path / "run") == whole


def test_a_second_ctrl_c_interrupts_at_once(tmp_path: Path, whole: dict[str, bytes]) -> None:
    done = toy("run", "--signals", "SIGINT", "SIGINT", cwd=tmp_path)
    assert done.returncode == 130
    assert "interrupted at once" in done.stderr
    assert not (tmp_path / "run/checkpoints/00000005").exists()
    assert RunDirectory(tmp_path / "run").status().state == "stopped"
    run_toy(tmp_path / "run", RESUME)
    assert result(tmp_path / "run") == whole


@pytest.fixture
def heard_within_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in steps of seconds: every tick is looked at, and every state is copied."""
    monkeypatch.setattr(activity, "SECONDS_BETWEEN_TICKS", 0)
    monkeypatch.setattr(manager, "SLOW_STEP_SECONDS", 0)


def ticking(step_number: int, act: Callable[[], None] = lambda: None) -> Callable[[Step], None]:
    """In one step, something happens between two ticks."""

    def before(step: Step) -> None:
        if (step.number, step.attempt) == (step_number, 1):
            tick = step.part("self-play", 9, "games")
            tick(1, moves=20)
            act()
            tick(2, moves=40)

    return before


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.usefixtures("heard_within_steps")
@pytest.mark.parametrize("number", [1, 2, 3, 4, 7])
def test_a_step_is_abandoned_within_and_made_again(
    tmp_path: Path, whole: dict[str, bytes], number: int
) -> None:
    said = list[str]()
    session = Session(say=said.append)
    run = run_toy(tmp_path, session, before=ticking(number, press_ctrl_c))
    assert run.stopped_by == signal.SIGINT
    assert said[-1] == STOPPING
    status = RunDirectory(tmp_path).status()
    assert (status.state, status.step) == ("stopped", number - 1)
    assert (tmp_path / f"checkpoints/{number - 1:08d}").is_dir()
    run_toy(tmp_path, RESUME)
    assert result(tmp_path) == whole


def test_a_step_is_finished_if_the_state_before_it_is_gone(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short steps are not worth a copy of the state."""
    monkeypatch.setattr(activity, "SECONDS_BETWEEN_TICKS", 0)
    run_toy(tmp_path, before=ticking(2, press_ctrl_c))
    assert RunDirectory(tmp_path).status().step == 2
    run_toy(tmp_path, RESUME)
    assert result(tmp_path) == whole


@pytest.mark.usefixtures("heard_within_steps")
def test_a_second_ctrl_c_ends_a_step_at_its_next_tick(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    def press_twice() -> None:
        press_ctrl_c()
        press_ctrl_c()

    with pytest.raises(KeyboardInterrupt):
        run_toy(tmp_path, before=ticking(4, press_twice))
    assert RunDirectory(tmp_path).status().state == "stopped"
    run_toy(tmp_path, RESUME)
    assert result(tmp_path) == whole


@pytest.mark.usefixtures("heard_within_steps")
def test_what_a_step_does_is_shown_and_in_its_status(tmp_path: Path) -> None:
    seen, texts = list[Activity](), list[str]()

    def look() -> None:
        texts.append(RunDirectory(tmp_path).status().activity)

    monkeypatch = pytest.MonkeyPatch()
    with monkeypatch.context() as patch:
        patch.setattr("selfmate.runs.status.SECONDS_BETWEEN_BEATS", 0)
        run_toy(tmp_path, Session(watch_step=seen.append), before=ticking(2, look))
    assert [(one.part, one.done, one.total) for one in seen] == [
        ("self-play", 1, 9),
        ("self-play", 2, 9),
    ]
    assert texts[0].startswith("self-play: 1 of 9 games, ")
    assert texts[0].endswith(" moves/s")
    assert seen[0].seconds_left is not None
    assert RunDirectory(tmp_path).status().activity == ""


@pytest.mark.usefixtures("heard_within_steps")
@pytest.mark.parametrize(("late_in", "done"), [(1, 1), (3, 2)])
def test_the_clock_is_heard_within_a_step_but_the_first(
    tmp_path: Path,
    whole: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    late_in: int,
    done: int,
) -> None:
    """Sessions that are shorter than a step get on all the same, and say so."""
    late, said = list[bool](), list[str]()
    monkeypatch.setattr(SessionTimer, "is_late", property(lambda _: bool(late)))
    run_toy(tmp_path, Session(say=said.append), before=ticking(late_in, lambda: late.append(True)))
    status = RunDirectory(tmp_path).status()
    assert (status.state, status.step) == ("paused", done)
    assert said == ([FIRST_STEP] if late_in == 1 else [])
    late.clear()
    run_toy(tmp_path, RESUME)
    assert result(tmp_path) == whole


@pytest.mark.usefixtures("heard_within_steps")
def test_after_a_rollback_the_clock_waits_for_a_recorded_step(
    tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    late = list[bool]()
    monkeypatch.setattr(SessionTimer, "is_late", property(lambda _: bool(late)))

    def before(step: Step) -> None:
        if (step.number, step.attempt) == (4, 2):
            late.append(True)
            step.part("self-play", 9, "games")(1)

    run_toy(tmp_path, before=before)
    assert RunDirectory(tmp_path).status().step == 4
    late.clear()
    run_toy(tmp_path, RESUME)
    assert result(tmp_path) == whole


def test_signal_handlers_are_restored(tmp_path: Path) -> None:
    handled = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)
    before = [signal.getsignal(number) for number in handled]

    def fail(step: Step) -> None:
        raise ArithmeticError

    assert run_toy(tmp_path / "one", before=stop_at(2)).stopped_by == signal.SIGINT
    with pytest.raises(ArithmeticError):
        run_toy(tmp_path / "two", before=fail)
    assert before == [signal.getsignal(number) for number in handled]
    assert RunDirectory(tmp_path / "two").status().message == "ArithmeticError()"


def test_a_run_works_in_a_thread_without_signals(tmp_path: Path, whole: dict[str, bytes]) -> None:
    thread = threading.Thread(target=run_toy, args=(tmp_path,))
    thread.start()
    thread.join()
    assert result(tmp_path) == whole


def test_a_run_stopped_at_every_step_resumes_bit_for_bit(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    number = 1
    while not run_toy(tmp_path, RESUME, before=stop_at(number)).finished:
        number += 1
    assert result(tmp_path) == whole


def test_minutes_pause_after_a_step(tmp_path: Path, whole: dict[str, bytes]) -> None:
    run = run_toy(tmp_path, Session(minutes=0))
    assert (run.finished, run.stopped_by) == (False, None)
    status = RunDirectory(tmp_path).status()
    assert (status.state, status.step, status.done, status.total) == ("paused", 1, 5, 57)
    run_toy(tmp_path, RESUME)
    assert result(tmp_path) == whole


@pytest.mark.parametrize(("units", "steps"), [(1, 1), (5, 1), (6, 2), (30, 6), (57, 12), (99, 12)])
def test_a_run_pauses_after_so_many_more_units(
    tmp_path: Path, whole: dict[str, bytes], units: int, steps: int
) -> None:
    """Steps are of 5; one of them fails and is repeated."""
    run = run_toy(tmp_path, Session(pause_after=units))
    assert (run.finished, run.stopped_by) == (steps == 12, None)
    status = RunDirectory(tmp_path).status()
    assert (status.state, status.step) == ("finished" if run.finished else "paused", steps)
    run_toy(tmp_path, Session(resume=True, pause_after=units))
    assert RunDirectory(tmp_path).status().step == min(2 * steps, 12)
    run_toy(tmp_path, RESUME)
    assert result(tmp_path) == whole


def test_the_first_of_two_reasons_to_pause_counts(tmp_path: Path) -> None:
    run_toy(tmp_path / "soon", Session(minutes=0, pause_after=20))
    run_toy(tmp_path / "later", Session(minutes=1e9, pause_after=20))
    steps = [RunDirectory(tmp_path / name).status().step for name in ("soon", "later")]
    assert steps == [1, 4]


@pytest.mark.parametrize("max_bytes", [0, 100, 200, 300, 500, 600, 700])
def test_a_full_disk_ends_the_run_which_can_be_resumed(
    tmp_path: Path, whole: dict[str, bytes], max_bytes: int
) -> None:
    done = toy("run", "--max-bytes", str(max_bytes), cwd=tmp_path)
    assert done.returncode == 1
    line = done.stderr.splitlines()[-1]
    assert line.startswith("run cannot be written: File too large; run/checkpoints/0000000")
    assert line.endswith("is still good")
    assert not list((tmp_path / "run").rglob("*.tmp")) + list((tmp_path / "run").rglob("new-*"))
    run_toy(tmp_path / "run", RESUME)
    assert result(tmp_path / "run") == whole


@pytest.mark.parametrize("step_number", [1, 5, 12])
@pytest.mark.parametrize("is_moved", [True, False])
def test_a_run_that_is_moved_or_deleted_ends_with_a_sentence(
    tmp_path: Path, step_number: int, is_moved: bool
) -> None:
    run, elsewhere = tmp_path / "runs" / "run", tmp_path / "elsewhere"

    def take_away(step: Step) -> None:
        if step.number == step_number and run.exists():
            run.rename(elsewhere) if is_moved else shutil.rmtree(run)

    with pytest.raises(RunFailedError, match="was moved or deleted while it was trained"):
        run_toy(run, before=take_away, fails=lambda _: False)
    assert not run.exists()
    if is_moved:
        run_toy(elsewhere, RESUME, fails=lambda _: False)
        assert RunDirectory(elsewhere).status().state == "finished"


def finish_at(step_number: int) -> Callable[[Step], None]:
    def before(step: Step) -> None:
        if step.number == step_number:
            step.finish()

    return before


@pytest.mark.parametrize("last", [1, 7, 12])
def test_a_learner_may_end_its_run_early(tmp_path: Path, last: int) -> None:
    assert run_toy(tmp_path, before=finish_at(last)).finished
    status = RunDirectory(tmp_path).status()
    assert (status.state, status.step, status.total) == ("finished", last, 57)
    # A kill between the last checkpoint and the status: there is still nothing left to do.
    (tmp_path / "status.json").unlink()
    for _ in range(2):
        assert run_toy(tmp_path, RESUME).finished
        status = RunDirectory(tmp_path).status()
        assert (status.state, status.step) == ("finished", last)
