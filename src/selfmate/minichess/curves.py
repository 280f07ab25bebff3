"""Learning curves of several trainings, and their picture as SVG, written without a library."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from selfmate.minichess.reference_tables import Results

Floats = NDArray[np.float64]

AVERAGED_STEPS = 20  # effective length of the moving average, in steps of 100 games
PANELS = {"reward": "reward per game", "moves": "moves per game"}
COLOURS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b")
WIDTH, HEIGHT = 460, 330  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 58, 28, 44, 44  # margins of a panel
MOST_POINTS = 250  # of a line
TICKS = 5
LEAST_HEIGHT = 0.01  # of an axis


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """A training step by step: `games` so far, and the means of each step."""

    games: Floats
    reward: Floats
    moves: Floats
    mate_percent: Floats
    seconds: float

    def results(self) -> Results:
        """The means over all games."""
        weights = np.diff(self.games, prepend=0)
        reward, moves, mate = (
            float(np.average(values, weights=weights))
            for values in (self.reward, self.moves, self.mate_percent)
        )
        return Results(
            reward=reward,
            moves=moves,
            draw_percent=100 - mate,
            mate_percent=mate,
            games_per_s=float(self.games[-1]) / self.seconds,
            seconds=self.seconds,
        )


def moving_average(values: Floats, steps: float) -> Floats:
    """Exponential, normalized so that the first values do not weigh too much."""
    keep = 1 - 1 / steps
    averages, total, weight = np.empty_like(values), 0.0, 0.0
    for i, value in enumerate(values):
        total, weight = keep * total + value, keep * weight + 1
        averages[i] = total / weight
    return averages


@dataclass(frozen=True, kw_only=True, eq=False)
class Band:
    """The mean of some smoothed curves, and the lowest and highest of them."""

    games: Floats
    mean: Floats
    lowest: Floats
    highest: Floats


def band_of(curves: Sequence[Curve], name: str) -> Band:
    """Of one attribute of curves of the same length, at `MOST_POINTS` places at most."""
    smooth = np.stack([moving_average(getattr(c, name), AVERAGED_STEPS) for c in curves])
    places = np.unique(np.linspace(0, smooth.shape[1] - 1, MOST_POINTS).round().astype(int))
    smooth = smooth[:, places]
    return Band(
        games=curves[0].games[places],
        mean=smooth.mean(axis=0),
        lowest=smooth.min(axis=0),
        highest=smooth.max(axis=0),
    )


def svg_of(title: str, agents: Mapping[str, Sequence[Curve]]) -> str:
    """Panels for reward and moves: a line for each agent, the mean of its seeds, in a band from the
    lowest to the highest of them."""
    panels = []
    for number, (name, label) in enumerate(PANELS.items()):
        bands = {agent: band_of(curves, name) for agent, curves in agents.items()}
        drawn = "".join(_panel(label, bands, with_legend=number == 0))
        panels.append(f'<g transform="translate({number * WIDTH} 0)">{drawn}</g>')
    width = WIDTH * len(PANELS)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" '
            'font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{HEIGHT}" fill="white"/>',
            f'<text x="{width / 2}" y="20" text-anchor="middle" font-size="15">'
            f"{escape(title)}</text>",
            *panels,
            "</svg>\n",
        ]
    )


def _panel(label: str, bands: Mapping[str, Band], *, with_legend: bool) -> Iterable[str]:
    last = max(float(band.games[-1]) for band in bands.values())
    lows = [float(band.lowest.min()) for band in bands.values()]
    highs = [float(band.highest.max()) for band in bands.values()]
    y_ticks = ticks(min(lows), max(highs))
    axes = Axes(last, y_ticks[0], max(y_ticks[-1], *highs, y_ticks[0] + LEAST_HEIGHT))
    for value in y_ticks:
        yield _line(axes, (0, value), (last, value))
        yield _text(LEFT - 6, axes.y(value) + 4, f"{value:g}", "end")
    for value in ticks(0, last):
        yield _line(axes, (value, axes.low), (value, axes.high))
        yield _text(axes.x(value), HEIGHT - BOTTOM + 16, f"{value:,.0f}", "middle")
    for colour, band in zip(_colours(), bands.values(), strict=False):
        yield from _drawn(axes, band, colour)
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "games", "middle")
    yield f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">'
    yield f"{label}</text>"
    if with_legend:
        yield from _legend(list(bands))


@dataclass(frozen=True)
class Axes:
    """From values to places in a panel."""

    last: float
    low: float
    high: float

    def x(self, games: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * games / self.last

    def y(self, value: float) -> float:
        part = (value - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part

    def points(self, games: Floats, values: Floats) -> str:
        pairs = zip(games.tolist(), values.tolist(), strict=True)
        return " ".join(f"{self.x(game):.1f},{self.y(value):.1f}" for game, value in pairs)


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from at most `low` to at most `high`, about `TICKS` of them."""
    size = max(high - low, 1e-9) / TICKS
    unit = 10.0 ** np.floor(np.log10(size))
    step = unit * min((f for f in (1, 2, 5, 10) if f * unit >= size * 0.999), default=10)
    first, last = int(np.floor(low / step)), int(np.floor(high / step + 1e-9))
    return [round(number * step, 10) for number in range(first, last + 1)]


def _drawn(axes: Axes, band: Band, colour: str) -> Iterable[str]:
    there = axes.points(band.games, band.highest)
    back = axes.points(band.games[::-1], band.lowest[::-1])
    yield f'<polygon points="{there} {back}" fill="{colour}" fill-opacity="0.18"/>'
    line = axes.points(band.games, band.mean)
    yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.3"/>'


def _legend(labels: Sequence[str]) -> Iterable[str]:
    for number, (colour, label) in enumerate(zip(_colours(), labels, strict=False)):
        x, y = LEFT + 10 + number * 130, TOP - 12
        yield f'<rect x="{x}" y="{y - 4}" width="14" height="4" fill="{colour}"/>'
        yield _text(x + 18, y + 2, label, "start")


def _colours() -> Iterable[str]:
    while True:
        yield from COLOURS


def _line(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> str:
    places = (axes.x(start[0]), axes.y(start[1]), axes.x(end[0]), axes.y(end[1]))
    x1, y1, x2, y2 = (f"{place:.1f}" for place in places)
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#ddd"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
