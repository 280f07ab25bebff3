"""One writer a run. The kernel lets go of the lock whenever and however the writer ends."""

import fcntl
import os
import time
from pathlib import Path

from selfmate.runs.errors import DamagedError, RunRefusedError
from selfmate.runs.files import PLAIN, read_plain, write_all

LOCK = "lock"
MOST_LOCK_BYTES = 64
# `is_taken` holds the lock for a moment to see whether it is free; a writer that meets it waits.
TRIES, SECONDS_BETWEEN_TRIES = 10, 0.01


class Lock:
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


def take(descriptor: int) -> bool:
    """Locks an open file for as long as it is open, unless another holds it."""
    for _ in range(TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(SECONDS_BETWEEN_TRIES)
        else:
            return True
    return False


def is_locked(directory: Path) -> bool:
    return is_taken(directory / LOCK)


def is_taken(path: Path) -> bool:
    """Whether somebody holds the lock on a file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | PLAIN)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def writer_of(directory: Path) -> int | None:
    """The process that holds the lock; None when nobody does, or it is none of this machine's."""
    text = _holder(directory / LOCK)
    if not is_locked(directory) or not text.isdecimal() or not _has_open(text, directory / LOCK):
        return None
    return int(text)


def _has_open(pid: str, path: Path) -> bool:
    """The number in the file may be of another machine, if they share the disk."""
    if not Path("/proc/self/fd").is_dir():
        return True  # not Linux, where this can be seen
    try:
        return any(path.samefile(opened) for opened in Path("/proc", pid, "fd").iterdir())
    except OSError:
        return False


def _holder(path: Path) -> str:
    try:
        return read_plain(path, MOST_LOCK_BYTES).decode("ascii", "replace").strip() or "?"
    except DamagedError:
        return "?"
