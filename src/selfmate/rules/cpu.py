"""The number of cores this process may use."""

import os


def available_cores() -> int:
    """Cores of the process's affinity mask, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0))
