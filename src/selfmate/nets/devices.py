"""Where nets are computed: on the CPU or on a graphics card."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def check_device(name: str) -> None:
    """ValueError when there is none of that name here."""
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("there is no CUDA device here, or torch was built without CUDA: use cpu")


def placed(planes: NDArray[np.float32], device: torch.device) -> Tensor:
    """On a graphics card by way of pinned memory, so that computing goes on meanwhile."""
    rows = torch.from_numpy(planes)
    if device.type == "cpu":
        return rows
    return rows.pin_memory().to(device, non_blocking=True)


def mixed_precision(device: torch.device) -> torch.autocast:
    """For a `with`: products in bfloat16 where a graphics card computes, else nothing changes."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")
