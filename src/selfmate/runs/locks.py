"""Locks on open files: one holder at a time, and the system releases them however it ends.

By flock on Linux and macOS, by msvcrt on Windows.
"""

import os
import time

try:
    import fcntl
except ImportError:
    import msvcrt

    # Windows locks bytes, and nobody else may read them: one is locked where no content is.
    LOCKED_BYTE = 2**30

    def _try(descriptor: int) -> None:
        """OSError if another process holds the lock."""
        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        finally:
            os.lseek(descriptor, position, os.SEEK_SET)

    _try_shared = _try
else:

    def _try(descriptor: int) -> None:
        """OSError if another process holds the lock."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _try_shared(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)


# `is_held` holds the lock for a moment to see whether it is free; a writer waits until it is over.
TRIES, SECONDS_BETWEEN_TRIES = 10, 0.01


def take(descriptor: int) -> bool:
    """Locks an open file for as long as it is open; false if another process holds the lock."""
    for _ in range(TRIES):
        try:
            _try(descriptor)
        except OSError:
            time.sleep(SECONDS_BETWEEN_TRIES)
        else:
            return True
    return False


def is_held(descriptor: int) -> bool:
    """Whether another process holds the lock on an open file."""
    try:
        _try_shared(descriptor)
    except OSError:
        return True
    return False
