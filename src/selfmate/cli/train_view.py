"""A run as it learns: a live panel in terminals, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from selfmate.cli.figures import duration, figure
from selfmate.cli.plot import plot_panels
from selfmate.cli.progress import SECONDS_BETWEEN_LINES
from selfmate.cli.run_summary import figures_of, told_first
from selfmate.cli.step_memory import LEGEND, StepMemory

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

    from selfmate.learners import Learner
    from selfmate.runs.progress import Progress

SECONDS_BETWEEN_UPDATES = 0.2
WIDEST = 110


class TrainView:
    """Takes every step's progress, and shows some of it on standard error."""

    def __init__(self, learner: "Learner", directory: Path) -> None:
        self.learner, self.directory = learner, directory
        self.memory = StepMemory(learner.plots)
        self.started = time.monotonic()
        self.shown = 0.0 if sys.stderr.isatty() else self.started
        self.newest: Progress | None = None
        self.live: Live | None = None

    def __enter__(self) -> "TrainView":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True, highlight=False)
            self.live = Live(console=console, auto_refresh=False)
            self.live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.live is not None:
            self._show()
            self.live.stop()

    def say(self, notice: str) -> None:
        """A notice that stays, above the panel."""
        print(notice, file=sys.stderr, flush=True)  # rich draws the panel anew below it

    def update(self, progress: "Progress") -> None:
        """Called after every step, and cheap: most are only remembered."""
        if self.newest is None or progress.step <= self.newest.step:
            self._remember_until(progress)
        self.memory.add(progress.figures)
        self.newest = progress
        now = time.monotonic()
        pause = SECONDS_BETWEEN_UPDATES if self.live is not None else SECONDS_BETWEEN_LINES
        if now - self.shown >= pause or self._is_news(progress):
            self.shown = now
            self._show()

    def _remember_until(self, progress: "Progress") -> None:
        """A resumed run has a past already, and one that went back has another one."""
        from selfmate.runs.directory import RunDirectory

        self.memory = StepMemory(self.learner.plots)
        for line in RunDirectory(self.directory).metrics():
            if line.get("step", progress.step) < progress.step:
                self.memory.add(figures_of(line, progress.unit))

    def _is_news(self, progress: "Progress") -> bool:
        """The first headline gets a line whenever it comes, which may be once an epoch."""
        first = self.learner.headlines[:1]
        return self.live is None and any(name in progress.figures for name in first)

    def _show(self) -> None:
        if self.newest is None:
            return
        if self.live is not None:
            self.live.update(self._panel(self.live.console, self.newest), refresh=True)
        else:
            told = told_first(self.learner, self.memory.newest)
            line = ", ".join([*_facts(self.newest), *self._texts(told)])
            print(f"{self.learner.name}: {line}", file=sys.stderr, flush=True)

    def _panel(self, console: "Console", progress: "Progress") -> "RenderableType":
        from rich.console import Group
        from rich.markup import escape
        from rich.padding import Padding

        width = min(console.width, WIDEST) - 4  # room for the ^C that terminals show
        so_far = f"{duration(time.monotonic() - self.started)} so far"
        others = [name for name in self.memory.newest if name not in self.memory.curves]
        told = self._texts(self.learner.headlines or others)
        parts: list[RenderableType] = [
            f"[bold]{self.learner.name}[/]  {escape(str(self.directory))}",
            _bar(progress.done / progress.total, width),
            *_lines_of([*_facts(progress), so_far], width),
            *(f"[dim]{line}[/]" for line in _lines_of(told, width)),
        ]
        room = console.height - len(parts) - 2
        if self.memory.curves and room >= 2 * len(self.memory.curves):
            parts += ["", plot_panels(self.memory.curves, width, room)]
        return Padding(Group(*parts), (0, 1), expand=False)

    def _texts(self, names: Iterable[str]) -> list[str]:
        """Of those that are known."""
        texts = [self.memory.text(name) for name in names if name in self.memory.newest]
        return [*texts, LEGEND] if any(text.endswith(")") for text in texts) else texts


def _bar(share: float, width: int) -> str:
    length = max(1, width - 7)
    full = int(share * length)
    return f"[cyan]{'━' * full}[/][dim]{'━' * (length - full)}[/] {share:6.1%}"


def _lines_of(parts: list[str], width: int) -> list[str]:
    """As many on a line as there is room for; a part is never broken."""
    lines = list[str]()
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 3 <= width:
            lines[-1] += f"   {part}"
        else:
            lines.append(part)
    return lines


def _facts(progress: "Progress") -> list[str]:
    return [
        f"{progress.done:,} of {progress.total:,} {progress.unit}",
        f"{figure(progress.rate)} {progress.unit}/s",
        f"{duration(progress.seconds_left)} left",
    ]
