"""Where the time of a step goes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """`with watch("playing"):` adds up; what is within another part counts in both."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - began
