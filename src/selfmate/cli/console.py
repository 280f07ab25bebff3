"""What verbs share: errors, options, numbers in words, progress, and plots as text."""

import errno
import math
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

if TYPE_CHECKING:
    from rich.status import Status
    from rich.table import Table


LARGEST_SEED = 2**63 - 1
SECONDS_BETWEEN_LINES = 5.0
SECONDS_BETWEEN_UPDATES = 0.2
LOADING = "loading libraries, net and data"
KNOWN_FRACTION = 0.05  # of some work, after which its speed tells how long the rest will take


class BadInputError(Exception):
    """What the user typed cannot be used; the text says what is allowed. Exit code 2."""


class JobFailedError(Exception):
    """The input was fine, but the job did not succeed. Exit code 1."""


DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def reading_input() -> Iterator[None]:
    """Around code that only reads the user's input: its errors are bad input."""
    try:
        yield
    except OSError as error:
        kind = JobFailedError if error.errno in DISK_FULL else BadInputError
        raise kind(sentence_of(error)) from error
    except ValueError as error:
        raise BadInputError(sentence_of(error)) from error


def sentence_of(error: Exception) -> str:
    """The error in words, without the marks of the library that raised it."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror + (f": {error.filename!r}" if error.filename else "")
    if isinstance(error, UnicodeDecodeError):
        return f"this is no UTF-8 text: byte {error.start + 1} is {error.object[error.start]:#x}"
    return str(error)


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 game, 2 games."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def say(sentence: str) -> None:
    """A notice on standard error; a live line stays below it."""
    print(sentence, file=sys.stderr, flush=True)


def short_number(value: float) -> str:
    """Four significant digits, or a whole number from 1,000 on."""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.4g}"


def duration(seconds: float) -> str:
    """At most two units: 8.0 s, 2 min 5 s, 3 h 20 min, 4 d 2 h."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for size, unit, smaller_size, smaller_unit in (
        (86_400, "d", 3_600, "h"),
        (3_600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if whole >= size:
            rest = whole % size // smaller_size
            return f"{whole // size} {unit}" + (f" {rest} {smaller_unit}" if rest else "")
    return f"{whole} s"


MAX_DAYS_LEFT = 30
# Up to how many seconds a time left is rounded to what, from the shortest.
ROUNDED = ((60, 10), (600, 60), (3_600, 300), (36_000, 3_600))


def time_left(seconds: float | None) -> str:
    """An estimate, as exact as it can be: about 40 s left, about 4 min left, about 3 h left. None
    is a time that nobody knows yet."""
    if seconds is None:
        return "time left unknown yet"
    if seconds < 5:
        return "a few seconds left"
    days = seconds / 86_400
    if days >= MAX_DAYS_LEFT:
        return f"more than {MAX_DAYS_LEFT} days left"
    if days >= 1.5:
        return f"about {days:.0f} days left"
    size = next((size for limit, size in ROUNDED if seconds < limit), 3_600)
    return f"about {duration(max(1, round(seconds / size)) * size)} left"


def time_left_after(done: float, total: float, seconds: float) -> str:
    """By the speed so far, once that is known."""
    is_known = done > 0 and done >= KNOWN_FRACTION * total
    return time_left(seconds * (total - done) / done if is_known else None)


class Progress(Protocol):
    def advance(self, amount: float) -> None: ...


class _Pace:
    """How much is done, how fast since the start, and how long the rest will take."""

    def __init__(self, total: float, unit: str) -> None:
        self.total, self.unit, self.done = total, unit, 0.0

    def text(self, seconds: float) -> str:
        fraction = self.done / self.total if self.total else 1.0
        left = time_left_after(self.done, self.total, seconds)
        return f"{fraction:.0%}, {short_number(self.done / seconds)} {self.unit}/s, {left}"


class _Lines:
    """Progress in log files: a line every few seconds."""

    def __init__(self, title: str, total: float, unit: str) -> None:
        self._pace = _Pace(total, unit)
        self.live = LiveLine(lambda seconds: f"{title}: {self._pace.text(seconds)}")

    def advance(self, amount: float) -> None:
        self._pace.done += amount
        self.live.update()


class _Bar:
    """Progress in terminals: one live line that disappears at the end."""

    def __init__(self, title: str, total: float, unit: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._pace = _Pace(total, unit)
        self._started = time.monotonic()
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[pace]}"))
        self.live = RichProgress(*columns, console=Console(stderr=True), transient=True)
        self._task = self.live.add_task(title, total=total, pace="")

    def advance(self, amount: float) -> None:
        self._pace.done += amount
        pace = self._pace.text(max(time.monotonic() - self._started, SECONDS_BETWEEN_UPDATES))
        self.live.update(self._task, advance=amount, pace=pace)


@contextmanager
def progress(title: str, total: float, unit: str) -> Iterator[Progress]:
    """Progress towards `total` units on standard error; the caller reports units by `advance`."""
    shown = (_Bar if sys.stderr.isatty() else _Lines)(title, total, unit)
    with shown.live:
        yield shown


class LiveLine:
    """A line on standard error that changes with the work; if that is no terminal, plain lines
    every few seconds. They come from a thread: the work may be busy for longer than that.

    `line` makes the text from the seconds since the start, in the thread that works.
    """

    def __init__(self, line: Callable[[float], str] = lambda seconds: "starting ...") -> None:
        self._line = line
        self._started = self._updated = time.monotonic()
        self._text = ""
        self._status: Status | None = None
        self._closed = Event()
        self._printing = Thread(target=self._print_lines, daemon=True)

    def __enter__(self) -> "LiveLine":
        self.follow(self._line)
        if sys.stderr.isatty():
            from rich.console import Console

            console = Console(stderr=True, highlight=False, markup=False)
            self._status = console.status(self._text)
            self._status.start()
        else:
            self._printing.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """May be called more than once, and from another thread."""
        self._closed.set()
        if self._status is not None:
            self._status.stop()
        elif self._printing.is_alive():
            self._printing.join()

    def follow(self, line: Callable[[float], str]) -> None:
        """Shows other work, whose clock starts now."""
        self._line, self._started = line, time.monotonic()
        self._show(SECONDS_BETWEEN_UPDATES)

    def update(self) -> None:
        """May be called at any rate: the line changes at most a few times per second."""
        now = time.monotonic()
        if now - self._updated >= SECONDS_BETWEEN_UPDATES:
            self._updated = now
            self._show(now - self._started)

    def say(self, text: str) -> None:
        """Prints a line that stays."""
        if self._status is not None:
            self._status.console.print(text)
        else:
            _print_on_stderr(text)

    def _show(self, seconds: float) -> None:
        self._text = self._line(seconds)
        if self._status is not None:
            self._status.update(self._text)

    def _print_lines(self) -> None:
        while not self._closed.wait(SECONDS_BETWEEN_LINES):
            _print_on_stderr(self._text)


def _print_on_stderr(text: str) -> None:
    with suppress(OSError):  # progress that nobody can read does not stop the work
        print(text, file=sys.stderr, flush=True)


def whole(low: int, high: int) -> Callable[[str | int], int]:
    """A parser of whole numbers from `low` to `high`; defaults are numbers already."""

    def parse(value: str | int) -> int:
        text = str(value)
        if text.isascii() and text.removeprefix("-").isdigit() and low <= int(text) <= high:
            return int(text)
        raise typer.BadParameter(f"{text!r} is not a whole number from {low} to {high}")

    return parse


def between(low: float, high: float) -> Callable[[str | float], float]:
    """A parser of numbers from `low` to `high`; defaults are numbers already."""

    def parse(value: str | float) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if low <= number <= high:
            return number + 0.0  # zero without a minus
        raise typer.BadParameter(f"{str(value)!r} is not a number from {low:g} to {high:g}")

    return parse


def above_zero(text: str) -> float:
    """Parses a number above zero."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if 0 < value < math.inf:
        return value
    raise typer.BadParameter(f"{text!r} is not a number above 0")


# Control characters, and those that change the direction of text or end a line.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: object) -> str:
    """A text from files as it may be printed: escape sequences for terminals are shown, not sent.
    Texts of strangers' runs pass through here, or through `escape`."""
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), str(text))


def escape(text: object) -> str:
    """The same for what rich prints: its markup is shown as well."""
    from rich.markup import escape as escape_markup

    return escape_markup(printable(text))


Preset = Annotated[
    str | None, typer.Option(metavar="P", help="A named set of settings, such as try.")
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Settings as TOML or JSON; a run's config.toml will do."),
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change one setting; may be repeated."),
]
Seed = Annotated[
    int | None,
    typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same run."),
]
Device = Annotated[
    str, typer.Option(metavar="D", help="Where to compute; not a setting of the run.")
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="WHERE",
        help="Workers play: local:N (here), auto or HOST:PORT; not a setting of the run.",
    ),
]
Actors = Annotated[
    int | None,
    typer.Option(
        parser=whole(1, 4096),
        metavar="N",
        help="Workers in all.",
        show_default="one per CPU of the cluster",
    ),
]
RunFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="The directory of the run.", show_default="runs/LEARNER-PRESET-N"
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Continue the same run exactly where it stopped.")
]
Load = Annotated[
    str | None,
    typer.Option(
        metavar="RUN",
        help="Start from the weights of another run or a net that ships; short for --set load=RUN.",
    ),
]
Minutes = Annotated[
    float | None, typer.Option(parser=above_zero, metavar="M", help="Pause after M minutes.")
]
PauseAfter = Annotated[
    int | None,
    typer.Option(
        parser=whole(1, 10**12), metavar="N", help="Pause after N more units (games, cycles, ...)."
    ),
]
TensorBoard = Annotated[
    bool, typer.Option("--tensorboard", help="Also write the metrics for TensorBoard.")
]
Track = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Also send the metrics to a tracker: tensorboard, trackio."),
]
Settings = Annotated[bool, typer.Option("--settings", help="List the learner's settings and exit.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


MAX_POINTS = 512
EMPTY_BRAILLE = 0x2800
# The bit of each dot, by column from the left and row from the top.
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
PANEL_WIDTH = 24  # narrower plots are hard to read


class Curve:
    """A growing series of bounded length: if there are too many points, neighbours are merged."""

    def __init__(self) -> None:
        self.points: list[float] = []
        self.last, self.min, self.max = math.nan, math.inf, -math.inf
        self._merged = 1  # values per point
        self._sum, self._count = 0.0, 0

    @property
    def is_measured(self) -> bool:
        """Whether there is anything to draw."""
        return not math.isnan(self.last)

    def add(self, value: float) -> None:
        self.last = value
        self.min, self.max = min(self.min, value), max(self.max, value)
        self._sum += value
        self._count += 1
        if self._count < self._merged:
            return
        self.points.append(self._sum / self._count)
        self._sum, self._count = 0.0, 0
        if len(self.points) == MAX_POINTS:
            pairs = zip(self.points[::2], self.points[1::2], strict=True)
            self.points = [(left + right) / 2 for left, right in pairs]
            self._merged *= 2


def draw_curve(points: Sequence[float], width: int, height: int) -> list[str]:
    """Lines of text from the top, scaled from the smallest point to the largest."""
    low, high = min(points), max(points)
    top = 4 * height - 1
    cells = [[0] * width for _ in range(height)]
    previous = None
    for column, value in enumerate(_resampled(points, 2 * width)):
        level = round((value - low) / (high - low) * top) if high > low else top // 2
        start = level if previous is None else previous + (level > previous) - (level < previous)
        for dot in range(min(start, level), max(start, level) + 1):
            row = top - dot
            cells[row // 4][column // 2] |= DOTS[column % 2][row % 4]
        previous = level
    return ["".join(chr(EMPTY_BRAILLE + bits) for bits in line) for line in cells]


def _resampled(points: Sequence[float], count: int) -> list[float]:
    """`count` values: means of several points, or interpolated if there are few."""
    if len(points) >= count:
        edges = [number * len(points) // count for number in range(count + 1)]
        return [sum(points[a:b]) / (b - a) for a, b in pairwise(edges)]
    values = []
    for number in range(count):
        place = number * (len(points) - 1) / (count - 1)
        left, right = points[int(place)], points[min(int(place) + 1, len(points) - 1)]
        values.append(left + (right - left) * (place - int(place)))
    return values


def plot_panels(curves: Mapping[str, Curve], width: int, height: int) -> "Table":
    """Plots in a grid of at most `height` lines, each with its name, newest value and range."""
    from rich.table import Table

    columns = max(1, min(len(curves), width // PANEL_WIDTH))
    rows = -(-len(curves) // columns)
    panel_width = width // columns
    plot_height = max(1, min(6, height // rows - 1))
    grid = Table.grid()
    for _ in range(columns):
        grid.add_column(width=panel_width, no_wrap=True, overflow="ellipsis")
    panels = [_panel(name, curve, panel_width, plot_height) for name, curve in curves.items()]
    for first in range(0, len(panels), columns):
        grid.add_row(*panels[first : first + columns])
    return grid


def _panel(name: str, curve: Curve, width: int, height: int) -> str:
    points = curve.points or [curve.last]
    high, low = f"{max(points):.3g}", f"{min(points):.3g}"
    label_width = max(len(high), len(low))
    labels = [high, *[""] * (height - 2), low] if height > 1 else [high]
    lines = draw_curve(points, max(2, width - label_width - 3), height)
    rows = [
        f"[dim]{label:>{label_width}}[/] [cyan]{line}[/]"
        for label, line in zip(labels, lines, strict=True)
    ]
    return "\n".join([f"{' ' * label_width} [bold]{name}[/] {short_number(curve.last)}", *rows])
