"""The number of cores this process may use."""

import os


def available_cores() -> int:
    """Cores of the process's affinity mask, which may be fewer than the machine has; all cores on
    systems without such masks, as macOS."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
