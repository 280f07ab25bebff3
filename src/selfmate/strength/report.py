"""The table, the page and the picture of what was measured."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfmate.runs.files import replace_file
from selfmate.strength.families import FAMILIES, START_WORDS
from selfmate.strength.results import RESULTS, Point, StrengthData, rating_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAGE, PICTURES = "strength.md", ("strength.png", "strength.svg")
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7")
SHIFT = 1.025  # of the times of one curve against the next, so that intervals do not overlap
LINES = {"nothing": "-", "teacher": "--", "games": ":"}
TITLES = {family.name: family.title for family in FAMILIES}

Curve = tuple[str, str, str]  # family, start, settings


def curves_of(data: StrengthData) -> dict[Curve, list[Point]]:
    """The points of each family from each start, in the order of the file."""
    curves: dict[Curve, list[Point]] = {}
    for point in data["points"]:
        key = (point["family"], point["start"], point["settings"])
        curves.setdefault(key, []).append(point)
    return curves


def settings_text(settings: str) -> str:
    return f"`{settings}`" if settings else "policy alone"


def table_rows(data: StrengthData) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of the table, as Markdown: a row a curve, a column a time."""
    times = sorted({point["minutes"] for point in data["points"]})
    head = ["learns by", "starts from", "plays with", *(f"{minutes:g} min" for minutes in times)]
    rows = []
    for (family, start, settings), points in curves_of(data).items():
        cells = [_cell([p for p in points if p["minutes"] == minutes]) for minutes in times]
        words = [TITLES.get(family, family), START_WORDS.get(start, start)]
        rows.append([*words, settings_text(settings), *cells])
    return head, rows


def _cell(points: Sequence[Point]) -> str:
    """One rating, or the mean of several with their outermost bounds."""
    ratings = [rating_of(point) for point in points]
    if not ratings:
        return ""
    if len(ratings) == 1:
        return ratings[0].text().removeprefix("about ")
    lows = [rating.low for rating in ratings if rating.low is not None]
    highs = [rating.high for rating in ratings if rating.high is not None]
    if len(lows) < len(ratings):
        return f"below {max(highs):.0f}" if len(highs) == len(ratings) else "unknown"
    if len(highs) < len(ratings):
        return f"above {min(lows):.0f}"
    mean = sum(rating.elo for rating in ratings) / len(ratings)
    return f"{mean:.0f} ({min(lows):.0f} to {max(highs):.0f})"


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def page_of(data: StrengthData, has_picture: bool) -> str:
    """The Markdown page."""
    lines = ["# Strength against training time", "", _summary(data), ""]
    if has_picture:
        lines += [f"![Rating against minutes of training]({PICTURES[1]})", ""]
    lines += [*_markdown(*table_rows(data)), "", _reading(data), ""]
    lines += ["## Every rating", "", *_markdown(*_all_points(data)), ""]
    lines += ["## How it was measured", "", *_method(data), ""]
    lines += ["## Commands of every rating", "", *_commands(data)]
    return "\n".join(lines) + "\n"


def _summary(data: StrengthData) -> str:
    machine = data["machine"]
    quick = "**A smoke test: its figures say nothing about strength.** " if data["quick"] else ""
    return (
        f"{quick}What nets reach after minutes of training on {machine['processor']}, "
        f"{machine['cores']} cores. Ratings: {data['scale']}."
    )


def _reading(data: StrengthData) -> str:
    games = sorted({point["games"] for point in data["points"]})
    counts = " or ".join(f"{count:,}" for count in games) or "0"
    return (
        f"Each rating is of {counts} games, with its 95 % interval in brackets. Where there are "
        "several random seeds, it is their mean, from the lowest bound of any to the highest."
    )


def _all_points(data: StrengthData) -> tuple[list[str], list[list[str]]]:
    head = ["training", "minutes", "trained", "step", "rating", "games", "plays with"]
    rows = [
        [
            point["training"],
            f"{point['minutes']:g}",
            f"{point['trained_minutes']:.2f}{', finished' if point['finished'] else ''}",
            f"{point['step']:,}",
            rating_of(point).text(),
            str(point["games"]),
            settings_text(point["settings"]),
        ]
        for point in data["points"]
    ]
    return head, rows


def _method(data: StrengthData) -> Iterator[str]:
    machine = data["machine"]
    found = dict.fromkeys(
        ", ".join(f"{name} {number}" for name, number in point["versions"].items())
        for point in data["points"]
    )
    yield f"- Processor: {machine['processor']}, {machine['cores']} cores; {machine['system']}."
    yield from (f"- Versions: {text}." for text in found)
    yield from (f"- Command: `{command}`" for command in data["commands"])
    yield (
        "- *Trained* are the minutes of the steps of which the net is made; a training stops "
        "between two steps, near the time asked for. Ratings were played between trainings, never "
        "beside them, and do not count."
    )
    yield f"- All figures, with the weights' digests: [{RESULTS}]({RESULTS})."


def _commands(data: StrengthData) -> Iterator[str]:
    for point in data["points"]:
        yield f"{point['training']}, {point['minutes']:g} min:"
        yield "```"
        yield from point["commands"]
        yield "```"


def write_page(folder: Path, data: StrengthData) -> None:
    has_picture = all((folder / name).exists() for name in PICTURES)
    replace_file(folder / PAGE, page_of(data, has_picture).encode())


def write_pictures(folder: Path, data: StrengthData) -> None:
    """Needs the extra `plots`."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # Equal figures make equal files.
    with rc_context({"svg.hashsalt": "selfmate", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 6.5), layout="constrained")
        FigureCanvasAgg(figure)
        _draw(figure.add_subplot(), data)
        for name, metadata in zip(PICTURES, ({"Software": None}, {"Date": None}), strict=True):
            beside = folder / f".new-{name}"
            figure.savefig(beside, dpi=130, metadata=metadata)  # the format is that of the suffix
            beside.replace(folder / name)


def _draw(axes: "Axes", data: StrengthData) -> None:
    families = list(dict.fromkeys(point["family"] for point in data["points"]))
    curves = curves_of(data)
    for number, ((family, start, settings), points) in enumerate(curves.items()):
        colour = COLOURS[families.index(family) % len(COLOURS)]
        played = settings or "policy alone"
        label = f"{TITLES.get(family, family)}, from {START_WORDS.get(start, start)} ({played})"
        shift = SHIFT ** (number - (len(curves) - 1) / 2)
        axes.plot(*_means(points, shift), LINES.get(start, "-"), color=colour, label=label)
        for point in points:
            _draw_point(axes, point, shift, colour)
    times = sorted({point["minutes"] for point in data["points"]})
    axes.set_xscale("log")
    axes.set_xticks(times, [f"{minutes:g}" for minutes in times])
    axes.minorticks_off()
    axes.set_xlabel("minutes of training")
    axes.set_ylabel("rating")
    axes.set_title(data["scale"], fontsize=9)
    axes.grid(alpha=0.3)
    if times:
        axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=2)


def _means(points: Sequence[Point], shift: float) -> tuple[list[float], list[float]]:
    """Times, shifted, and the mean of all random seeds at each."""
    times = sorted({point["minutes"] for point in points})
    groups = [[_height(p) for p in points if p["minutes"] == minutes] for minutes in times]
    return [shift * minutes for minutes in times], [sum(group) / len(group) for group in groups]


def _draw_point(axes: "Axes", point: Point, shift: float, colour: str) -> None:
    """A rating with its interval, or an arrow at its only bound."""
    height = _height(point)
    low = height if point["low"] is None else point["low"]
    high = height if point["high"] is None else point["high"]
    axes.errorbar(
        shift * point["minutes"],
        height,
        yerr=[[max(0, height - low)], [max(0, high - height)]],
        fmt=_marker(point),
        color=colour,
        markersize=4,
        capsize=2,
        linewidth=1,
    )


def _height(point: Point) -> float:
    """The rating, or the only bound that games set: the rating then depends on the prior."""
    bounds = [bound for bound in (point["low"], point["high"]) if bound is not None]
    return bounds[0] if len(bounds) == 1 else point["elo"]


def _marker(point: Point) -> str:
    if point["low"] is None:
        return "v"
    return "^" if point["high"] is None else "o"
