"""What other processes see of a run: its lock, its progress, and its status as a heartbeat."""

import math
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from selfmate.runs.activity import Activity
from selfmate.runs.files import (
    PLAIN,
    parse,
    pretty,
    read_plain,
    replace_file,
    timestamp,
    write_all,
)
from selfmate.runs.locks import is_held, take
from selfmate.runs.run import CorruptError, RunRefusedError

LOCK, STATUS = "lock", "status.json"
MAX_LOCK_BYTES, MAX_STATUS_BYTES = 64, 2**16
SECONDS_REMEMBERED = 30.0
MIN_KEPT = 0.8  # of the past, however long a step is
SECONDS_BETWEEN_BEATS = 1.0
STATES = ("running", "paused", "stopped", "failed", "finished", "killed")


class Lock:
    """The lock of a run: one writer at a time. The kernel releases it however the writer ends."""

    def __init__(self, directory: Path) -> None:
        path = directory / LOCK
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | PLAIN, 0o644)
        if not take(self._descriptor):
            os.close(self._descriptor)
            raise RunRefusedError(
                f"{directory} is being written by process {_holder(path)}: wait for it, stop it, "
                "or choose another --run"
            )
        os.ftruncate(self._descriptor, 0)
        write_all(self._descriptor, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        os.close(self._descriptor)


def is_locked(directory: Path) -> bool:
    return is_taken(directory / LOCK)


def is_taken(path: Path) -> bool:
    """Whether a process holds the lock on a file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | PLAIN)
    except OSError:
        return False
    try:
        return is_held(descriptor)
    finally:
        os.close(descriptor)


def writer_of(directory: Path) -> int | None:
    """The process that holds the lock; None if there is none, or if it is on another machine."""
    text = _holder(directory / LOCK)
    if not is_locked(directory) or not text.isdecimal() or not _has_open(text, directory / LOCK):
        return None
    return int(text)


def _has_open(pid: str, path: Path) -> bool:
    """Whether a process of this machine has the file open. On a shared disk, the number in the lock
    file may come from another machine."""
    if not Path("/proc/self/fd").is_dir():
        return True  # only Linux shows open files here
    try:
        return any(path.samefile(opened) for opened in Path("/proc", pid, "fd").iterdir())
    except OSError:
        return False


def _holder(path: Path) -> str:
    try:
        return read_plain(path, MAX_LOCK_BYTES).decode("ascii", "replace").strip() or "?"
    except CorruptError:
        return "?"


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where a run is after a step."""

    step: int
    done: int
    total: int
    unit: str
    metrics: Mapping[str, float]
    rate: float  # units per second
    seconds_left: float | None  # in this session; None: unknown yet


class Pace:
    """The speed of a run, as an average that forgets: older steps count less. It remembers about
    `SECONDS_REMEMBERED`, or the last few steps if these are longer: some of them evaluate."""

    def __init__(self) -> None:
        self._seconds = self._units = 0.0

    def add(self, units: int, seconds: float) -> None:
        kept = max(math.exp(-seconds / SECONDS_REMEMBERED), MIN_KEPT)
        self._seconds = kept * self._seconds + seconds
        self._units = kept * self._units + units

    @property
    def rate(self) -> float:
        """Units per second; 0 before the first step."""
        return self._units / max(self._seconds, 1e-9)


@dataclass(frozen=True, kw_only=True)
class SessionTimer:
    """When a session ends: at a deadline, or when enough units are done."""

    deadline: float  # of the monotonic clock, in seconds
    enough: float  # units of the run

    @classmethod
    def start(cls, *, minutes: float, units: float) -> Self:
        return cls(deadline=time.monotonic() + 60 * minutes, enough=units)

    def is_over(self, done: int) -> bool:
        return done >= self.enough or self.is_late

    @property
    def is_late(self) -> bool:
        return time.monotonic() >= self.deadline

    def seconds_left(self, done: int, rate: float, spent: float = 0.0) -> float | None:
        """At `rate` units per second, `spent` seconds after `done` units were done; None if there
        is neither a rate nor a deadline."""
        by_rate = (self.enough - done) / rate - spent if rate else math.inf
        seconds = max(0.0, min(by_rate, self.deadline - time.monotonic()))
        return None if math.isinf(seconds) else seconds


@dataclass(frozen=True, kw_only=True)
class Status:
    """The content of status.json."""

    state: str  # one of STATES; "killed" is never written, it is what readers conclude
    pid: int = 0
    step: int = 0
    done: int = 0
    total: int = 0
    unit: str = ""
    rate: float | None = None  # units per second
    seconds_left: float | None = None
    activity: str = ""  # what the step is doing; empty between steps
    started: str = ""  # when this session started, ISO 8601, UTC
    updated: str = ""
    message: str = ""


class Heartbeat:
    """Writes the status at every change of state, and about once a second in between."""

    def __init__(self, directory: Path, status: Status) -> None:
        self._path = directory / STATUS
        self._status = replace(status, pid=os.getpid(), started=timestamp())
        self._lock = threading.Lock()  # ticks come from any thread
        self._write()

    def beat(self, progress: Progress) -> None:
        self._status = replace(
            self._status,
            step=progress.step,
            done=progress.done,
            rate=progress.rate,
            seconds_left=progress.seconds_left,
            activity="",
        )
        self._write_if_due()

    def tick(self, activity: Activity) -> None:
        self._status = replace(
            self._status, activity=activity.text(), seconds_left=activity.seconds_left
        )
        self._write_if_due()

    def roll_back_to(self, step: int, done: int) -> None:
        self._status = replace(self._status, step=step, done=done, activity="")
        self._write()

    def end(self, state: str, message: str) -> None:
        self._status = replace(self._status, state=state, message=message, activity="")
        self._write()

    def _write_if_due(self) -> None:
        if time.monotonic() - self._written >= SECONDS_BETWEEN_BEATS:
            self._write()

    def _write(self) -> None:
        with self._lock:
            self._written = time.monotonic()
            # Not flushed to disk: it can be lost, and it must not cost time.
            data = pretty(asdict(replace(self._status, updated=timestamp())))
            replace_file(self._path, data, durable=False)


def read_status(directory: Path) -> Status | None:
    """The status of a run as written; None if there is none that can be read."""
    try:
        fields = parse(read_plain(directory / STATUS, MAX_STATUS_BYTES), STATUS)
        status = Status(**fields)
    except (CorruptError, TypeError):
        return None
    return status if _is_valid(asdict(status)) else None


def _is_valid(fields: dict[str, Any]) -> bool:
    blank = asdict(Status(state=""))
    for key, value in fields.items():
        kinds = (float, int, type(None)) if blank[key] is None else (type(blank[key]),)
        if type(value) not in kinds:
            return False
    return fields["state"] in STATES
