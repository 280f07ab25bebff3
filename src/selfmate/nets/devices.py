"""Where nets are computed: devices, threads, and tensors as arrays for the core."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def check_device(name: str) -> None:
    """ValueError when this machine has no such device."""
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("there is no CUDA device here, or torch was built without CUDA: use cpu")


def placed(planes: NDArray[np.float32], device: torch.device) -> Tensor:
    """The array as a tensor on the device. A GPU gets it by way of pinned memory, without waiting
    for the copy."""
    rows = torch.from_numpy(planes)
    if device.type == "cpu":
        return rows
    return rows.pin_memory().to(device, non_blocking=True)


def mixed_precision(device: torch.device) -> torch.autocast:
    """For `with`: matrix products in bfloat16 on a GPU; on a CPU nothing changes."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


@contextmanager
def computing_threads(count: int) -> Iterator[None]:
    """Sets the number of threads that torch computes on, within `with` and in this thread. The last
    bits of a sum depend on it."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def one_thread() -> Iterator[None]:
    """Within `with`, sums are the same on machines of any number of cores."""
    with computing_threads(1):
        yield


def numbers_of(tensor: Tensor) -> NDArray[np.float32]:
    """The tensor as an array, copied only if it is not contiguous in memory."""
    numbers: NDArray[np.float32] = tensor.detach().contiguous().numpy()
    return numbers
