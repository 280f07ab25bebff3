"""Progress on standard error: a bar with rate and time left, or plain lines when not a terminal."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

SECONDS_BETWEEN_LINES = 5.0


class Progress(Protocol):
    def advance(self, amount: float) -> None: ...


class _Lines:
    """For log files: a line now and then."""

    def __init__(self, title: str, total: float, unit: str) -> None:
        self.title, self.total, self.unit = title, total, unit
        self.done = 0.0
        self.started = self.last_line = time.monotonic()

    def advance(self, amount: float) -> None:
        self.done += amount
        now = time.monotonic()
        if now - self.last_line < SECONDS_BETWEEN_LINES or not self.done:
            return
        self.last_line = now
        rate = self.done / (now - self.started)
        left = (self.total - self.done) / rate
        line = f"{self.title}: {self.done / self.total:.0%}, {rate:,.0f} {self.unit}/s"
        print(f"{line}, {left:.0f} s left", file=sys.stderr, flush=True)


class _Bar:
    """For terminals: one live line that disappears when done."""

    def __init__(self, title: str, total: float, unit: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self.unit = unit
        self.bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %  {task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self.task = self.bar.add_task(title, total=total, rate="")

    def advance(self, amount: float) -> None:
        speed = self.bar.tasks[0].speed
        rate = f"{speed:,.0f} {self.unit}/s" if speed else ""
        self.bar.update(self.task, advance=amount, rate=rate)


@contextmanager
def progress(title: str, total: float, unit: str) -> Iterator[Progress]:
    """Progress towards `total` units; the caller says how far it has come with `advance`."""
    if not sys.stderr.isatty():
        yield _Lines(title, total, unit)
        return
    bar = _Bar(title, total, unit)
    with bar.bar:
        yield bar
