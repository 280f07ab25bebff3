"""How many threads torch computes on: what a sum comes to depends on how many there are."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def computing_threads(count: int) -> Iterator[None]:
    """For products in this block and this thread; then as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def one_thread() -> Iterator[None]:
    """The same sums on every machine."""
    with computing_threads(1):
        yield
