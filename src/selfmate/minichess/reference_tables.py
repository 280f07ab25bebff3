"""The nine tables of the mini-chess reference design: what each compares, and what it reports; and
their comparison with our results as Markdown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

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


Row = tuple[str, Callable[[Results], str]]  # a row's title, and its cell for an agent


def _number(value: float | None, digits: int, unit: str = "") -> str:
    return "" if value is None else f"{value:,.{digits}f}{unit}"


AVERAGES: tuple[Row, ...] = (
    ("average reward", lambda r: _number(r.reward, 3)),
    ("average moves", lambda r: _number(r.moves, 2)),
    ("draws", lambda r: _number(r.draw_percent, 1, " %")),
    ("mates", lambda r: _number(r.mate_percent, 1, " %")),
)
TIMES: tuple[Row, ...] = (
    ("games per second", lambda r: _number(r.games_per_s, 2)),
    ("total time", lambda r: _clock(r.seconds)),
)


def _clock(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def as_markdown(table: Table, ours: Sequence[Results], episodes: int) -> str:
    """One table: for each agent the column of the reference design and ours."""
    heads = [head for c in table.columns for head in (f"{c.label}: reference", f"{c.label}: ours")]
    lines = [
        f"### Table {table.number}. {table.title}",
        "",
        f"The reference design reports 100,000 games, {_ours(table, episodes)}.",
        "",
        "| | " + " | ".join(heads) + " |",
        "|---" * (len(heads) + 1) + "|",
    ]
    for title, cell in TIMES if table.is_about_time else AVERAGES:
        pairs = zip(table.columns, ours, strict=True)
        cells = [text for column, mine in pairs for text in (cell(column.reference), cell(mine))]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    if table.is_about_time:
        lines += ["", _time_saved(table, ours)]
    return "\n".join(lines)


def _ours(table: Table, episodes: int) -> str:
    if all(column.learner is None for column in table.columns):
        return "ours are exact"
    return f"ours are of {episodes:,}"


def _time_saved(table: Table, ours: Sequence[Results]) -> str:
    reference = [column.reference for column in table.columns]
    return (
        f"Vectorized takes {_percent_less(ours)} less time here, {_percent_less(reference)} in the "
        "table of the reference design (its text says 48 %)."
    )


def _percent_less(results: Sequence[Results]) -> str:
    slow, fast = (1 / result.games_per_s if result.games_per_s else 0.0 for result in results)
    return f"{100 * (1 - fast / slow):.0f} %" if slow else "an unknown share"
