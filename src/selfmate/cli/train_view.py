"""What `train` shows: the settings, the plan of a run, its progress as it trains, the report."""

import math
import shlex
import shutil
import sys
import textwrap
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean
from types import TracebackType
from typing import TYPE_CHECKING, Any

from selfmate.cli.console import (
    LOADING,
    SECONDS_BETWEEN_LINES,
    Curve,
    duration,
    escape,
    plot_panels,
    printable,
    short_number,
    time_left,
)
from selfmate.cli.inspect_view import print_validations, validations_of
from selfmate.cli.runs import key_metrics, metrics_of
from selfmate.runs import Progress, RunDirectory
from selfmate.runs.activity import speed_text

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

    from selfmate.learners.config import Config
    from selfmate.learners.learner import Learner
    from selfmate.runs import Activity


STEPS_IN_MEANS = 10
LEGEND = f"in brackets: mean of the last {STEPS_IN_MEANS} steps"
SECONDS_BETWEEN_UPDATES = 0.25
MAX_WIDTH = 110


def print_settings(learner: "Learner") -> None:
    """A table of all settings: default, meaning, what is allowed."""
    from rich.console import Console
    from rich.table import Table

    from selfmate.learners.config import DEFAULT, in_words, settings_of
    from selfmate.presets import presets_of

    table = Table(title=f"{learner.name}: {learner.summary}", title_justify="left")
    for column in ("setting", "default", "meaning"):
        table.add_column(column, overflow="fold", no_wrap=column == "setting")
    for setting in settings_of(learner.config_class).values():
        meaning = f"{escape(setting.description)}\n[dim]{escape(setting.allowed)}[/]"
        table.add_row(setting.name, escape(in_words(setting.default)), meaning)
    console = Console(highlight=False)
    console.print(table)
    presets = ", ".join([DEFAULT, *presets_of(learner.name)])
    console.print(
        f"Presets: {presets}. Change one setting with --set key=value, many with --config FILE."
    )


def print_plan(learner: "Learner", config: "Config", directory: Path) -> None:
    """What the run is going to do, on standard error before the first step."""
    from selfmate.learners.config import in_words

    changed = ", ".join(f"{key} = {in_words(value)}" for key, value in config.changed().items())
    lines = [
        f"{learner.name}: {learner.summary}",
        f"  run       {directory}",
        _wrapped("settings  ", changed or "all at their defaults"),
    ]
    print("\n".join(lines), file=sys.stderr, flush=True)


def _wrapped(title: str, text: str) -> str:
    """Text wrapped to the terminal's width, indented below a title."""
    first = f"  {title}"
    return textwrap.fill(
        text,
        shutil.get_terminal_size().columns,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _length(learner: "Learner", config: "Config", directory: Path, pause_after: float) -> str:
    """How much there is to do, and an estimate of how long it takes, from a short rehearsal."""
    from selfmate.runs import Rehearsal, RunFailedError

    rehearsal = Rehearsal()
    try:
        learner.train(config, rehearsal)
    except RunFailedError as error:
        return f"unknown, because a rehearsal failed: {error}"
    plan, done = rehearsal.plan, _done(directory)
    left = plan.total - done
    now = min(left, plan.size * math.ceil(min(pause_after, left) / plan.size))
    before = f", {done:,} of them done" if done else ""
    before += f", {now:,} until the pause" if now < left else ""
    seconds = rehearsal.seconds_for(now)
    about = f"about {duration(seconds)}" if seconds >= 1 else "less than a second"
    return (
        f"{plan.total:,} {plan.unit}{before}, {about} on this machine, judging by the first steps"
    )


def _done(directory: Path) -> int:
    """How many units a resumed run has done."""

    try:
        return RunDirectory(directory).status().done
    except ValueError:
        return 0


def print_report(learner: "Learner", report: Mapping[str, Any]) -> None:
    """How the run ended, on standard output after the last step."""

    run = shlex.quote(report["run"])
    progress = f"{report['done']:,} of {report['total']:,} {report['unit']}"
    print(f"{report['state']}: {report['run']}, {progress}, {duration(report['seconds'])}")
    print_validations(validations_of(RunDirectory(Path(report["run"]))))
    if report["last"]:
        shown = key_metrics(learner, report["last"])
        last = ", ".join(f"{name} {short_number(value)}" for name, value in shown.items())
        print(_wrapped("last  ", last))
    if report["best"]:
        best = report["best"]
        print(f"  best  score {short_number(best['score'])} in step {best['step']:,}")
    again = f"selfmate {learner.command} --run {run} --resume"
    print(f"  next  {learner.then.format(run=run) if report['state'] == 'finished' else again}")


class MetricHistory:
    """The curves of the plotted metrics, and the newest and recent values of all metrics."""

    def __init__(self, plots: Iterable[str]) -> None:
        self.curves = {plot: Curve() for plot in plots}
        self.newest: dict[str, float] = {}  # some are not reported in every step
        self._recent: deque[Mapping[str, float]] = deque(maxlen=STEPS_IN_MEANS)

    def add(self, metrics: Mapping[str, float]) -> None:
        """Adds the metrics of one step."""
        self.newest |= metrics
        self._recent.append(metrics)
        for name, curve in self.curves.items():
            if name in metrics:
                curve.add(metrics[name])

    def text(self, name: str) -> str:
        """entropy 2.1 (2.3): the newest value and, for metrics of every step, the recent mean."""
        recent = [metrics[name] for metrics in self._recent if name in metrics]
        in_every_step = len(recent) == len(self._recent) > 1
        mean = f" ({short_number(fmean(recent))})" if in_every_step else ""
        return f"{name} {short_number(self.newest[name])}{mean}"


class TrainView:
    """Shows the progress of a run on standard error: a live panel in terminals, a line every few
    seconds elsewhere. A thread of its own refreshes it, so that it is never blank, whatever the
    learner does."""

    def __init__(self, learner: "Learner", directory: Path) -> None:
        self.learner, self.directory = learner, directory
        self.history = MetricHistory(learner.plots)
        self.started = time.monotonic()
        self.newest: Progress | None = None
        self.doing = LOADING
        self.live: Live | None = None
        self._seconds_left: float | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._refresh, daemon=True)
        self._drawing = threading.Lock()

    def __enter__(self) -> "TrainView":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True, highlight=False)
            self.live = Live(console=console, auto_refresh=False)
            self.live.start()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()
        if self.live is not None:
            self._show()
            self.live.stop()

    def say(self, notice: str) -> None:
        """Prints a notice above the panel."""
        print(printable(notice), file=sys.stderr, flush=True)  # rich redraws the panel below it

    def say_length(self, config: "Config", pause_after: float) -> None:
        """How long the run will take, if a rehearsal is cheap enough to tell."""
        if self.learner.is_rehearsed:
            self.say(f"  length    {_length(self.learner, config, self.directory, pause_after)}")

    def update(self, progress: "Progress") -> None:
        """Called after every step, and cheap: most steps are only added to the history. The first
        sign of work is shown at once."""
        with self._drawing:
            if self.newest is None or progress.step <= self.newest.step:
                self._read_history(progress)
            self.history.add(progress.metrics)
            is_first, self.newest, self.doing = self.doing == LOADING, progress, ""
            self._seconds_left = progress.seconds_left
        if is_first or self._has_key_metric(progress):
            self._show()

    def update_step(self, activity: "Activity") -> None:
        """Called within steps, as `update` is after them."""
        is_first = self.doing == LOADING
        self.doing, self._seconds_left = activity.text(), activity.seconds_left
        if is_first:
            self._show()

    def _refresh(self) -> None:
        pause = SECONDS_BETWEEN_LINES if self.live is None else SECONDS_BETWEEN_UPDATES
        while not self._ended.wait(pause):
            self._show()

    def _read_history(self, progress: "Progress") -> None:
        """Starts from the metrics on disk: the run may have been resumed or rolled back."""

        self.history = MetricHistory(self.learner.plots)
        for line in RunDirectory(self.directory).metrics():
            if line.get("step", progress.step) < progress.step:
                self.history.add(metrics_of(line, progress.unit))

    def _has_key_metric(self, progress: "Progress") -> bool:
        """In log files, the first key metric gets a line whenever it is reported."""
        first = self.learner.key_metrics[:1]
        return self.live is None and any(name in progress.metrics for name in first)

    def _show(self) -> None:
        with self._drawing:
            if self.live is not None:
                self.live.update(self._panel(self.live.console), refresh=True)
                return
            names = key_metrics(self.learner, self.history.newest)
            line = ", ".join([*self._facts(), *self._texts(names)])
        print(f"{self.learner.name}: {line}", file=sys.stderr, flush=True)

    def _facts(self) -> list[str]:
        """How far the run is, what it does at the moment, and how long it will take."""
        so_far = f"{duration(time.monotonic() - self.started)} so far"
        facts, progress = [so_far], self.newest
        if progress is not None:
            facts = [
                f"{progress.done:,} of {progress.total:,} {progress.unit}",
                speed_text(progress.rate, progress.unit),
                so_far,
            ]
        if self.doing != LOADING:
            facts.append(time_left(self._seconds_left))
        return [self.doing, *facts] if self.doing else facts

    def _panel(self, console: "Console") -> "RenderableType":
        from rich.console import Group
        from rich.padding import Padding

        width = min(console.width, MAX_WIDTH) - 4  # terminals print ^C in this space
        curves = {name: curve for name, curve in self.history.curves.items() if curve.is_measured}
        others = [name for name in self.history.newest if name not in self.history.curves]
        shown = self._texts(self.learner.key_metrics or others)
        parts: list[RenderableType] = [
            f"[bold]{self.learner.name}[/]  {escape(str(self.directory))}",
            *([_bar(self.newest.done / self.newest.total, width)] if self.newest else []),
            *_lines_of(self._facts(), width),
            *(f"[dim]{line}[/]" for line in _lines_of(shown, width)),
        ]
        room = console.height - len(parts) - 2
        if curves and room >= 2 * len(curves):
            parts += ["", plot_panels(curves, width, room)]
        return Padding(Group(*parts), (0, 1), expand=False)

    def _texts(self, names: Iterable[str]) -> list[str]:
        """The metrics that have a value, as texts."""
        texts = [self.history.text(name) for name in names if name in self.history.newest]
        return [*texts, LEGEND] if any(text.endswith(")") for text in texts) else texts


def _bar(fraction: float, width: int) -> str:
    length = max(1, width - 7)
    full = int(fraction * length)
    return f"[cyan]{'━' * full}[/][dim]{'━' * (length - full)}[/] {fraction:6.1%}"


def _lines_of(parts: list[str], width: int) -> list[str]:
    """Joins parts to lines of at most `width`; a part is never broken."""
    lines = list[str]()
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 3 <= width:
            lines[-1] += f"   {part}"
        else:
            lines.append(part)
    return lines
