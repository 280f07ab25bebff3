"""The nine tables of the mini-chess reference design: what each compares, and what it reports; and
their comparison with our results as Markdown.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import mean, stdev

from selfmate.runs import Json

TABLES = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
Settings = dict[str, Json]


@dataclass(frozen=True, kw_only=True)
class Results:
    """Means per game, and speed; None where a result is unknown."""

    reward: float | None = None
    moves: float | None = None
    draw_percent: float | None = None
    mate_percent: float | None = None
    games_per_s: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class Column:
    """One agent of a table."""

    label: str
    learner: str | None  # None: the random agent, which learns nothing
    settings: Settings = field(default_factory=dict)  # on top of the preset `paper`
    reference: Results = Results()


@dataclass(frozen=True, kw_only=True)
class Table:
    number: str
    title: str
    columns: tuple[Column, ...]
    is_about_time: bool = False


def _column(label: str, learner: str | None, settings: Settings, *numbers: float) -> Column:
    reward, moves, draw, mate = numbers
    results = Results(reward=reward, moves=moves, draw_percent=draw, mate_percent=mate)
    return Column(label=label, learner=learner, settings=settings, reference=results)


def _timed(label: str, settings: Settings, games_per_s: float, seconds: float) -> Column:
    results = Results(games_per_s=games_per_s, seconds=seconds)
    return Column(label=label, learner="ddqn", settings=settings, reference=results)


_SARSA = (0.50888, 31.14282, 24.6, 75.4)
_DDQN = (0.68298, 42.00092, 15.9, 84.1)
_ONE_BY_ONE: Settings = {"vectorized": False}

REFERENCE_TABLES = {
    table.number: table
    for table in (
        Table(
            number="I",
            title="The random agent, with both rewards of a draw",
            columns=(
                _column("draw 0", None, {"draw_reward": 0.0}, 0.199, 6.9736, 80.1, 19.9),
                _column("draw -1", None, {}, -0.602, 6.9736, 80.1, 19.9),
            ),
        ),
        Table(
            number="II",
            title="SARSA, with both rewards of a draw",
            columns=(
                _column("draw 0", "sarsa", {"draw_reward": 0.0}, 0.51348, 10.88195, 48.7, 51.3),
                _column("draw -1", "sarsa", {}, *_SARSA),
            ),
        ),
        Table(
            number="III",
            title="SARSA with varying beta",
            columns=(
                _column("beta 1e-5", "sarsa", {"beta": 1e-5}, 0.36664, 19.56304, 31.7, 68.3),
                _column("beta 5e-5", "sarsa", {}, *_SARSA),
                _column("beta 1e-4", "sarsa", {"beta": 1e-4}, 0.57584, 32.94545, 21.2, 78.8),
            ),
        ),
        Table(
            number="IV",
            title="SARSA with varying gamma",
            columns=(
                _column("gamma 0.5", "sarsa", {"gamma": 0.5}, 0.4939, 29.19442, 25.3, 74.7),
                _column("gamma 0.85", "sarsa", {}, *_SARSA),
                _column("gamma 0.95", "sarsa", {"gamma": 0.95}, 0.50116, 26.82057, 24.9, 75.1),
            ),
        ),
        Table(
            number="V",
            title="SARSA with SGD and with Adam",
            columns=(
                _column("SGD", "sarsa", {}, *_SARSA),
                _column("Adam", "sarsa", {"optimizer": "adam"}, 0.45452, 9.42893, 27.3, 72.7),
            ),
        ),
        Table(
            number="VI",
            title="DDQN's time, sample by sample and vectorized",
            is_about_time=True,
            columns=(
                _timed("sample by sample", _ONE_BY_ONE, 8.99, 11_124),
                _timed("vectorized", {}, 15.59, 6_415),
            ),
        ),
        Table(
            number="VII",
            title="DDQN, sample by sample and vectorized",
            columns=(
                _column("sample by sample", "ddqn", _ONE_BY_ONE, 0.51496, 32.13215, 24.3, 75.7),
                _column("vectorized", "ddqn", {}, *_DDQN),
            ),
        ),
        Table(
            number="VIII",
            title="DDQN with varying beta",
            columns=(
                _column("beta 1e-5", "ddqn", {"beta": 1e-5}, 0.55162, 20.63585, 22.4, 77.6),
                _column("beta 5e-5", "ddqn", {}, *_DDQN),
                _column("beta 1e-4", "ddqn", {"beta": 1e-4}, 0.73636, 53.17906, 13.2, 86.8),
            ),
        ),
        Table(
            number="IX",
            title="DDQN with varying gamma",
            columns=(
                _column("gamma 0.5", "ddqn", {"gamma": 0.5}, 0.50748, 41.66203, 24.6, 75.4),
                _column("gamma 0.85", "ddqn", {}, *_DDQN),
                _column("gamma 0.95", "ddqn", {"gamma": 0.95}, 0.66872, 43.82187, 16.6, 83.4),
            ),
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of a table: an attribute of `Results`."""

    title: str
    name: str
    digits: int
    unit: str = ""


AVERAGES = (
    Row(title="average reward", name="reward", digits=3),
    Row(title="average moves", name="moves", digits=2),
    Row(title="draws", name="draw_percent", digits=1, unit=" %"),
    Row(title="mates", name="mate_percent", digits=1, unit=" %"),
)
SPEED = Row(title="games per second", name="games_per_s", digits=2)


def _cell(row: Row, results: Sequence[Results]) -> str:
    """The mean, and the standard deviation if there are several results."""
    values = [value for one in results if (value := getattr(one, row.name)) is not None]
    if not values:
        return ""
    spread = f" ± {stdev(values):,.{row.digits}f}" if len(values) > 1 else ""
    return f"{mean(values):,.{row.digits}f}{spread}{row.unit}"


def _clock(results: Sequence[Results]) -> str:
    """The mean time."""
    seconds = [one.seconds for one in results if one.seconds is not None]
    if not seconds:
        return ""
    minutes, rest = divmod(round(mean(seconds)), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def as_markdown(table: Table, ours: Sequence[Sequence[Results]], episodes: int) -> str:
    """One table: for each agent the column of the reference design, if it has one, and ours, the
    mean of several random seeds with their standard deviation."""
    pairs = [
        (head, results)
        for column, mine in zip(table.columns, ours, strict=True)
        for head, results in _columns(column, mine)
    ]
    lines = [
        f"### Table {table.number}. {table.title}",
        "",
        _about(len(ours[0]), episodes),
        "",
        "| | " + " | ".join(head for head, _ in pairs) + " |",
        "|---" * (len(pairs) + 1) + "|",
    ]
    for row in (SPEED,) if table.is_about_time else AVERAGES:
        cells = [_cell(row, results) for _, results in pairs]
        lines.append(f"| {row.title} | " + " | ".join(cells) + " |")
    if table.is_about_time:
        lines.append("| total time | " + " | ".join(_clock(results) for _, results in pairs) + " |")
        lines += ["", _time_saved(table, [mine[0] for mine in ours])]
    return "\n".join(lines)


def _columns(column: Column, ours: Sequence[Results]) -> list[tuple[str, Sequence[Results]]]:
    if column.reference == Results():
        return [(column.label, ours)]
    return [(f"{column.label}: reference", [column.reference]), (f"{column.label}: ours", ours)]


def _about(seeds: int, episodes: int) -> str:
    ours = f"{episodes:,} games" + (f" with each of {seeds} random seeds" if seeds > 1 else "")
    return f"The reference design reports 100,000 games with one random seed, ours are {ours}."


def _time_saved(table: Table, ours: Sequence[Results]) -> str:
    reference = [column.reference for column in table.columns]
    return (
        f"Vectorized takes {_percent_less(ours)} less time here, {_percent_less(reference)} in the "
        "table of the reference design (its text says 48 %)."
    )


def _percent_less(results: Sequence[Results]) -> str:
    slow, fast = (1 / result.games_per_s if result.games_per_s else 0.0 for result in results)
    return f"{100 * (1 - fast / slow):.0f} %" if slow else "an unknown share"
