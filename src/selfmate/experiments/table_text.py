"""A table of the seed with our figures beside its own, as Markdown."""

from collections.abc import Callable, Sequence

from selfmate.experiments.seed_tables import Figures, Table

# What is shown of an agent: the words, and the figure as text.
Row = tuple[str, Callable[[Figures], str]]


def _number(value: float | None, digits: int, unit: str = "") -> str:
    return "" if value is None else f"{value:,.{digits}f}{unit}"


AVERAGES: tuple[Row, ...] = (
    ("average reward", lambda f: _number(f.reward, 3)),
    ("average moves", lambda f: _number(f.moves, 2)),
    ("draws", lambda f: _number(f.draw_percent, 1, " %")),
    ("mates", lambda f: _number(f.mate_percent, 1, " %")),
)
TIMES: tuple[Row, ...] = (
    ("games per second", lambda f: _number(f.games_per_s, 2)),
    ("whole time", lambda f: _clock(f.seconds)),
)


def _clock(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def as_markdown(table: Table, ours: Sequence[Figures], episodes: int) -> str:
    """One table: for each agent the seed's column and ours."""
    heads = [head for c in table.columns for head in (f"{c.label}: seed", f"{c.label}: ours")]
    lines = [
        f"### Table {table.number}. {table.title}",
        "",
        f"The seed's figures are of 100,000 games, {_ours(table, episodes)}.",
        "",
        "| | " + " | ".join(heads) + " |",
        "|---" * (len(heads) + 1) + "|",
    ]
    for words, shown in TIMES if table.is_about_time else AVERAGES:
        pairs = zip(table.columns, ours, strict=True)
        cells = [cell for column, mine in pairs for cell in (shown(column.found), shown(mine))]
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    if table.is_about_time:
        lines += ["", _saving(table, ours)]
    return "\n".join(lines)


def _ours(table: Table, episodes: int) -> str:
    if all(column.learner is None for column in table.columns):
        return "ours are exact"
    return f"ours of {episodes:,}"


def _saving(table: Table, ours: Sequence[Figures]) -> str:
    found = [column.found for column in table.columns]
    return (
        f"Vectorized takes {_percent_less(ours)} less time here, {_percent_less(found)} by the "
        "seed's table (its text says 48 %)."
    )


def _percent_less(figures: Sequence[Figures]) -> str:
    slow, fast = (1 / figure.games_per_s if figure.games_per_s else 0.0 for figure in figures)
    return f"{100 * (1 - fast / slow):.0f} %" if slow else "an unknown share"
