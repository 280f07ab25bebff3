"""How many threads are worth starting here."""

import os


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))
