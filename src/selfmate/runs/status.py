"""The heartbeat of a run: what others see of it while it goes on, and how it ended."""

import os
import time
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from selfmate.runs.errors import DamagedError
from selfmate.runs.files import read_plain, replace_file
from selfmate.runs.json_text import parse, pretty
from selfmate.runs.progress import Progress

STATUS = "status.json"
MOST_STATUS_BYTES = 2**16
SECONDS_BETWEEN_BEATS = 1.0
STATES = ("running", "paused", "stopped", "failed", "finished", "killed")


@dataclass(frozen=True, kw_only=True)
class Status:
    state: str  # one of STATES; "killed" is what readers find, nobody writes it
    pid: int = 0
    step: int = 0
    done: int = 0
    total: int = 0
    unit: str = ""
    rate: float | None = None  # units a second
    seconds_left: float | None = None
    started: str = ""  # this session's, ISO 8601, UTC
    updated: str = ""
    message: str = ""


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Heartbeat:
    """Writes the status at every change of state and now and then between."""

    def __init__(self, directory: Path, status: Status) -> None:
        self._path = directory / STATUS
        self._status = replace(status, pid=os.getpid(), started=now())
        self._write()

    def beat(self, progress: Progress) -> None:
        self._status = replace(
            self._status,
            step=progress.step,
            done=progress.done,
            rate=progress.rate,
            seconds_left=progress.seconds_left,
        )
        if time.monotonic() - self._written >= SECONDS_BETWEEN_BEATS:
            self._write()

    def go_back(self, step: int, done: int) -> None:
        self._status = replace(self._status, step=step, done=done)
        self._write()

    def end(self, state: str, message: str) -> None:
        self._status = replace(self._status, state=state, message=message)
        self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        # Not flushed to disk: nothing is lost with it, and it must not cost time.
        data = pretty(asdict(replace(self._status, updated=now())))
        replace_file(self._path, data, durable=False)


def read_status(directory: Path) -> Status | None:
    """What status.json says, None when there is none that can be read."""
    try:
        fields = parse(read_plain(directory / STATUS, MOST_STATUS_BYTES), STATUS)
        status = Status(**fields)
    except (DamagedError, TypeError):
        return None
    return status if _is_sound(asdict(status)) else None


def _is_sound(fields: dict[str, Any]) -> bool:
    blank = asdict(Status(state=""))
    for key, value in fields.items():
        kinds = (float, int, type(None)) if blank[key] is None else (type(blank[key]),)
        if type(value) not in kinds:
            return False
    return fields["state"] in STATES
