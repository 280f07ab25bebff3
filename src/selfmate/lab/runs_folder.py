"""The runs that the lab shows: those in one folder, found by name and never by path."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

from selfmate.lab.errors import NotThereError
from selfmate.learners import LEARNERS
from selfmate.runs.directory import RunDirectory
from selfmate.runs.header import CONFIG
from selfmate.runs.listing import DELETED, list_runs
from selfmate.runs.lock import is_locked
from selfmate.runs.status import STATUS, Status


class RunsFolder:
    """A topic as well: `runs`, the newest first."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, name: str) -> RunDirectory:
        """The run of this name; a name is no path, so it leads nowhere else."""
        self.check(name)
        return RunDirectory(self.path / name)

    def check(self, name: str) -> None:
        """NotThereError when there is no such run."""
        if name not in self._names() or not (self.path / name / CONFIG).is_file():
            raise NotThereError(f"there is no run {name[:80]!r} in {self.path.name}")

    def version(self) -> Hashable:
        return tuple((name, self._stamp(name)) for name in self._names())

    def data(self) -> list[dict[str, Any]]:
        rows = [describe(run) for run in list_runs(self.path)]
        return sorted(rows, key=lambda row: row["updated"], reverse=True)

    def _stamp(self, name: str) -> Hashable:
        """A run that is killed changes no file, but nobody holds its lock any more."""
        return changed_ns(self.path / name / STATUS), is_locked(self.path / name)

    def _names(self) -> list[str]:
        if not self.path.is_dir():
            return []
        names = (entry.name for entry in self.path.iterdir() if entry.is_dir())
        return sorted(name for name in names if not name.startswith(DELETED))


def describe(run: RunDirectory) -> dict[str, Any]:
    """What stands in a list of runs."""
    status = run.status()
    return {
        "name": run.path.name,
        "learner": run.learner,
        "summary": LEARNERS[run.learner].summary if run.learner in LEARNERS else "",
        **progress_of(status),
    }


def progress_of(status: Status) -> dict[str, Any]:
    return {
        "state": status.state,
        "step": status.step,
        "done": status.done,
        "total": status.total,
        "unit": status.unit,
        "rate": status.rate,
        "seconds_left": status.seconds_left,
        "updated": status.updated,
        "message": status.message,
    }


def changed_ns(path: Path) -> int:
    """When, 0 for what is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
