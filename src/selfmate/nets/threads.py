"""Numbers that do not depend on how many cores there are."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch and the core's products work on one thread meanwhile.

    Dense sums would depend on their number; and on a busy machine two threads that wait for each
    other are slower than one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
