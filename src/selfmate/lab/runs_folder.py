"""The runs that the lab shows, found by name and never by path."""

import os
from collections.abc import Hashable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NotRequired

from typing_extensions import TypedDict

from selfmate.lab.errors import NotFoundError
from selfmate.learners.registry import LEARNERS
from selfmate.runs import (
    CARD,
    CONFIG,
    DELETED,
    STATUS,
    Checkpoints,
    CorruptError,
    Json,
    RunDirectory,
    RunRefusedError,
    is_locked,
    read_card,
)


class RunRow(TypedDict):
    """A run in the list, topic `runs`. One that has not begun has only the required fields."""

    name: str
    learner: str
    summary: str
    state: str
    problem: str  # why the last start failed
    step: NotRequired[int]
    done: NotRequired[float]
    total: NotRequired[float]
    unit: NotRequired[str]
    rate: NotRequired[float | None]
    seconds_left: NotRequired[float | None]
    activity: NotRequired[str]  # what its step is doing
    updated: NotRequired[str]
    message: NotRequired[str]


class RunsFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[str, tuple[int, RunDirectory]] = {}  # with the time of their config

    def run(self, name: str) -> RunDirectory:
        """The run of this name. NotFoundError or ValueError when there is none."""
        self.check(name)
        changed = changed_ns(self.path / name / CONFIG)
        known = self._known.get(name)
        if known is None or known[0] != changed:
            known = self._known[name] = (changed, RunDirectory(self.path / name))
        return known[1]

    def runs(self) -> Iterator[RunDirectory]:
        """All runs; folders that are not runs are left out."""
        names = self._names()
        for deleted in self._known.keys() - set(names):
            self._known.pop(deleted, None)
        for name in names:
            try:
                yield self.run(name)
            except (NotFoundError, RunRefusedError):
                continue

    def check(self, name: str) -> None:
        """NotFoundError when there is no such run. A name with a slash is never one."""
        if not _is_name(name) or not changed_ns(self.path / name / CONFIG):
            folder = self.path.absolute().name
            raise NotFoundError(f"there is no run {name[:80]!r} in {folder}")

    def version(self) -> Hashable:
        return tuple((name, self._stamp(name)) for name in self._names())

    def data(self) -> list[RunRow]:
        """The newest first."""
        rows = [describe(run) for run in self.runs()]
        return sorted(rows, key=lambda row: row.get("updated", ""), reverse=True)

    def _stamp(self, name: str) -> Hashable:
        """The lock tells when a run was killed: then no file changes."""
        return changed_ns(self.path / name / STATUS), is_locked(self.path / name)

    def _names(self) -> list[str]:
        try:
            with os.scandir(self.path) as entries:
                names = (entry.name for entry in entries if entry.is_dir())
                return sorted(filter(_is_name, names))
        except (FileNotFoundError, NotADirectoryError):
            return []


def _is_name(name: str) -> bool:
    """Whether it can be a run's name; bytes that are not UTF-8 could not be sent to a page."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return name not in ("", ".", "..") and not name.startswith(DELETED) and not {*"/\0"} & {*name}


def describe(run: RunDirectory) -> RunRow:
    status = run.status()
    return {
        "name": run.path.name,
        "learner": run.learner,
        "summary": LEARNERS[run.learner].summary if run.learner in LEARNERS else "",
        "state": status.state,
        "problem": "",
        "step": status.step,
        "done": status.done,
        "total": status.total,
        "unit": status.unit,
        "rate": status.rate,
        "seconds_left": status.seconds_left,
        "activity": status.activity,
        "updated": status.updated,
        "message": status.message,
    }


def changed_ns(path: Path) -> int:
    """The time of the last change, 0 for a file that does not exist."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def player_kind(run: Path) -> str | None:
    """The kind of player in the newest checkpoint's card; None without a checkpoint."""
    player = player_card(run)
    return None if player is None else str(player.get("kind"))


def player_card(run: Path) -> Mapping[str, Json] | None:
    """What the newest checkpoint's card says of the player; None without a checkpoint."""
    checkpoints = Checkpoints(run)
    steps = checkpoints.steps()
    newest = checkpoints.path(steps[-1]) if steps else None
    return None if newest is None else _player_in(newest, changed_ns(newest / CARD))


@lru_cache(maxsize=1000)
def _player_in(checkpoint: Path, _changed_ns: int) -> Mapping[str, Json] | None:
    """Each card is read once, because checkpoints never change. None when it is corrupt."""
    try:
        return read_card(checkpoint).player
    except CorruptError:
        return None
