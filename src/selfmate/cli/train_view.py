"""A run as it learns: a live panel in terminals, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from selfmate.cli.figures import duration, figure
from selfmate.cli.plot import Curve, plot_panels
from selfmate.cli.progress import SECONDS_BETWEEN_LINES

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
        self.curves = {plot: Curve() for plot in learner.plots}
        self.started = time.monotonic()
        self.shown = 0.0 if sys.stderr.isatty() else self.started
        self.newest: Progress | None = None
        self.figures: dict[str, float] = {}  # the newest of each; some come only now and then
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
        print(notice, file=sys.stderr, flush=True)

    def update(self, progress: "Progress") -> None:
        """Called after every step, and cheap: most are only remembered."""
        if self.newest is None:
            self._remember_until(progress.step)
        self._add(progress.figures)
        self.newest = progress
        self.figures |= progress.figures
        now = time.monotonic()
        pause = SECONDS_BETWEEN_UPDATES if self.live is not None else SECONDS_BETWEEN_LINES
        if now - self.shown >= pause:
            self.shown = now
            self._show()

    def _remember_until(self, step: int) -> None:
        """The curves of a resumed run begin at its beginning."""
        from selfmate.runs.directory import RunDirectory

        for line in RunDirectory(self.directory).metrics():
            if line.get("step", step) < step:
                self._add(line)

    def _add(self, figures: Mapping[str, float]) -> None:
        for name, curve in self.curves.items():
            if name in figures:
                curve.add(figures[name])

    def _show(self) -> None:
        if self.newest is None:
            return
        if self.live is not None:
            self.live.update(self._panel(self.live.console, self.newest), refresh=True)
        else:
            line = ", ".join([*_facts(self.newest), *_figures(self.figures)])
            print(f"{self.learner.name}: {line}", file=sys.stderr, flush=True)

    def _panel(self, console: "Console", progress: "Progress") -> "RenderableType":
        from rich.console import Group
        from rich.markup import escape
        from rich.padding import Padding

        width = min(console.width, WIDEST) - 4  # room for the ^C that terminals show
        so_far = f"{duration(time.monotonic() - self.started)} so far"
        others = {k: v for k, v in self.figures.items() if k not in self.curves}
        parts: list[RenderableType] = [
            f"[bold]{self.learner.name}[/]  {escape(str(self.directory))}",
            _bar(progress.done / progress.total, width),
            *_lines_of([*_facts(progress), so_far], width),
            *(f"[dim]{line}[/]" for line in _lines_of(_figures(others), width)),
        ]
        room = console.height - len(parts) - 2
        if self.curves and room >= 2 * len(self.curves):
            parts += ["", plot_panels(self.curves, width, room)]
        return Padding(Group(*parts), (0, 1), expand=False)


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


def _figures(figures: Mapping[str, float]) -> list[str]:
    return [f"{name} {figure(value)}" for name, value in figures.items()]
