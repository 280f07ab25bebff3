"""What verbs share: errors, options, numbers in words, progress, boards and plots as text."""

import math
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

if TYPE_CHECKING:
    from rich.status import Status
    from rich.table import Table
    from rich.text import Text

    from selfmate.rules import Board


LARGEST_SEED = 2**63 - 1
SECONDS_BETWEEN_LINES = 5.0
SECONDS_BETWEEN_UPDATES = 0.2


class BadInputError(Exception):
    """What the user typed cannot be used; the text says what is allowed. Exit code 2."""


class JobFailedError(Exception):
    """The input was fine, but the job did not succeed. Exit code 1."""


@contextmanager
def reading_input() -> Iterator[None]:
    """Around code that only reads the user's input: its errors are bad input."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise BadInputError(str(error)) from error


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


class Progress(Protocol):
    def advance(self, amount: float) -> None: ...


class _Lines:
    """Progress in log files: a line every few seconds."""

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
    """Progress in terminals: one live line that disappears at the end."""

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
    """Progress towards `total` units on standard error; the caller reports units by `advance`."""
    if not sys.stderr.isatty():
        yield _Lines(title, total, unit)
        return
    bar = _Bar(title, total, unit)
    with bar.bar:
        yield bar


class LiveLine:
    """A line on standard error that changes with the work; plain lines every few seconds if that is
    no terminal. `line` makes the text from the seconds since the start."""

    def __init__(self, line: Callable[[float], str]) -> None:
        self._line = line
        self._started = self._shown = time.monotonic()
        self._status: Status | None = None

    def __enter__(self) -> "LiveLine":
        if sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True, highlight=False).status("starting ...")
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def update(self) -> None:
        """May be called at any rate: the line changes at most a few times per second."""
        now = time.monotonic()
        pause = SECONDS_BETWEEN_LINES if self._status is None else SECONDS_BETWEEN_UPDATES
        if now - self._shown < pause:
            return
        self._shown = now
        text = self._line(now - self._started)
        if self._status is not None:
            self._status.update(text)
        else:
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
    str | None, typer.Option(metavar="P", help="A named set of settings, such as tiny.")
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
    Path | None,
    typer.Option(metavar="RUN", help="Start from the weights of another run or a net that ships."),
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
Settings = Annotated[bool, typer.Option("--settings", help="List the learner's settings and exit.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


MAX_POINTS = 512
EMPTY_BRAILLE = 0x2800
# The bit of each dot, by column from the left and row from the top.
DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
PANEL_WIDTH = 24  # narrower plots are hard to read
GLYPHS = dict(zip("pnbrqk", "♟♞♝♜♛♚", strict=True))
SQUARES = ("on #86664a", "on #c4a57b")
WHITE_PIECE, BLACK_PIECE = "bold #ffffff", "bold #101010"
NO_SHADES: Mapping[str, str] = MappingProxyType({})


class Curve:
    """A growing series of bounded length: if there are too many points, neighbours are merged."""

    def __init__(self) -> None:
        self.points: list[float] = []
        self.last, self.min, self.max = 0.0, math.inf, -math.inf
        self._merged = 1  # values per point
        self._sum, self._count = 0.0, 0

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


def draw_board(board: "Board", indent: int = 0) -> "Text":
    """A board with the names of ranks and files, rank 8 first."""
    return draw_ranks([line.split() for line in str(board).splitlines()], indent)


def draw_ranks(
    ranks: Sequence[Sequence[str]], indent: int = 0, shades: Mapping[str, str] = NO_SHADES
) -> "Text":
    """A board of any size from its letters, the highest rank first. `shades` are colours of single
    squares, by name."""
    from rich.text import Text

    text, files = Text(), "abcdefgh"[: len(ranks)]
    for rank, letters in zip(range(len(ranks), 0, -1), ranks, strict=True):
        text.append(f"{' ' * indent}{rank} ")
        for column, letter in enumerate(letters):
            piece = WHITE_PIECE if letter.isupper() else BLACK_PIECE
            shade = shades.get(f"{files[column]}{rank}")
            square = f"on {shade}" if shade else SQUARES[(rank + column + 1) % 2]
            text.append(f" {GLYPHS.get(letter.lower(), ' ')} ", style=f"{piece} {square}")
        text.append("\n")
    text.append(f"{' ' * indent}   " + "  ".join(files))
    return text
