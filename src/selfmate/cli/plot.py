"""Small plots and boards for terminals. Plots use braille characters of two by four dots each."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from selfmate.cli.console import short_number

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from selfmate.rules import Board


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
