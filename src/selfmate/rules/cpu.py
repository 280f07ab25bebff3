"""The processor: cores this process may use, and kernels it can run."""

import os


def available_cores() -> int:
    """Cores of the process's affinity mask, which may be fewer than the machine has; all cores on
    systems without such masks, as macOS."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def kernel_names() -> list[str]:
    """The core's kernels that this processor can run, the fastest first; none that are faster than
    the environment variable SELFMATE_KERNELS names. ValueError if it cannot run those."""
    import selfmate._core as core

    return core.kernel_names()
