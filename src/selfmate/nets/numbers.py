"""Tensors as the core takes them."""

import numpy as np
from numpy.typing import NDArray
from torch import Tensor


def numbers_of(tensor: Tensor) -> NDArray[np.float32]:
    """Copied only if they do not lie in order in memory."""
    numbers: NDArray[np.float32] = tensor.detach().contiguous().numpy()
    return numbers
