"""Reference runs: each learner is trained once per test run, and all contract tests share the run.

Under xdist, the workers share a folder; whoever needs a run first makes it, the others wait."""

import fcntl
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from contracts.kill import events_of, run_killed

EVENTS = "events"


@dataclass(frozen=True)
class Reference:
    """A finished run, not to be changed, and how many calls it took that change files."""

    run: Path
    events: int


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """A folder for this test run, the same in all workers of xdist."""
    base, test_run = factory.getbasetemp(), os.environ.get("PYTEST_XDIST_TESTRUNUID")
    folder = base / "contracts" if test_run is None else base.parent / f"contracts-{test_run}"
    folder.mkdir(exist_ok=True)
    return folder


def make_once(path: Path, make: Callable[[Path], object]) -> Path:
    """Makes what shall be at `path`, unless a process of this test run has done so."""
    done = path.with_name(f"{path.name}.done")
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            make(path)
            done.touch()
    return path


def reference_run(command: tuple[str, ...], folder: Path) -> Reference:
    """The run of a command that is completed by the run's directory; trained unless it is there."""

    def train(folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        done = run_killed(0, *command, "run", cwd=folder)
        assert done.returncode == 0, done.stderr
        (folder / EVENTS).write_text(str(events_of(done)))
        for path in (folder / "run").rglob("*"):
            path.chmod(path.stat().st_mode & ~0o222)  # tests that write to it fail

    make_once(folder, train)
    return Reference(folder / "run", int((folder / EVENTS).read_text()))
