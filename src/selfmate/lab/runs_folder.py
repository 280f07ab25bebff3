"""The runs that the lab shows: those in one folder, found by name and never by path."""

import os
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

from selfmate.lab.errors import NotThereError
from selfmate.learners import LEARNERS
from selfmate.runs.directory import RunDirectory
from selfmate.runs.errors import RunRefusedError
from selfmate.runs.header import CONFIG
from selfmate.runs.listing import DELETED
from selfmate.runs.lock import is_locked
from selfmate.runs.status import STATUS, Status


class RunsFolder:
    """A topic as well: `runs`, the newest first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, tuple[int, RunDirectory]] = {}  # with when their settings were new

    def run(self, name: str) -> RunDirectory:
        """The run of this name; a name is no path, so it leads nowhere else. NotThereError or
        ValueError when it is none."""
        self.check(name)
        changed = changed_ns(self.path / name / CONFIG)
        known = self._known.get(name)
        if known is None or known[0] != changed:
            known = self._known[name] = (changed, RunDirectory(self.path / name))
        return known[1]

    def runs(self) -> Iterator[RunDirectory]:
        """All that are there; what is no run is left out."""
        names = self._names()
        for gone in self._known.keys() - set(names):
            self._known.pop(gone, None)
        for name in names:
            try:
                yield self.run(name)
            except (NotThereError, RunRefusedError):
                continue

    def check(self, name: str) -> None:
        """NotThereError when there is no such run."""
        if not _is_name(name) or not changed_ns(self.path / name / CONFIG):
            folder = self.path.absolute().name
            raise NotThereError(f"there is no run {name[:80]!r} in {folder}")

    def version(self) -> Hashable:
        return tuple((name, self._stamp(name)) for name in self._names())

    def data(self) -> list[dict[str, Any]]:
        rows = [describe(run) for run in self.runs()]
        return sorted(rows, key=lambda row: row["updated"], reverse=True)

    def _stamp(self, name: str) -> Hashable:
        """A run that is killed changes no file, but nobody holds its lock any more."""
        return changed_ns(self.path / name / STATUS), is_locked(self.path / name)

    def _names(self) -> list[str]:
        try:
            with os.scandir(self.path) as entries:
                names = (entry.name for entry in entries if entry.is_dir())
                return sorted(filter(_is_name, names))
        except (FileNotFoundError, NotADirectoryError):
            return []


def _is_name(name: str) -> bool:
    """Whether it can be a run's; bytes that are no text could not be sent to a page."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return name not in ("", ".", "..") and not name.startswith(DELETED) and not {*"/\0"} & {*name}


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
