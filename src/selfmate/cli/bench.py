"""`selfmate bench`: speed beside our peers."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.errors import reading_input

if TYPE_CHECKING:
    from selfmate.bench import Figures


def bench(
    suites: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SUITE]...",
            help="rules, teacher, endgame, dqn, reinforce, lab, pgn, import, mcts, train, "
            "searchless; default: all.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one object a suite.")] = False,
) -> None:
    """Measure speed side by side with peers in one run, as ratios; a suite takes up to a minute."""
    from selfmate.bench import SUITES, load_suite

    with reading_input():
        runs = {name: load_suite(name) for name in suites or SUITES}
    for name, run in runs.items():
        typer.echo(f"measuring {name}: {SUITES[name]} ...", err=True)
        figures = run()
        if as_json:
            print(json.dumps({"suite": name, **figures}))
        else:
            _print_table(name, figures)


def _print_table(suite: str, figures: "Figures") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"bench {suite}", title_justify="left")
    table.add_column("figure")
    table.add_column("value", justify="right")
    for key, value in figures.items():
        is_ratio = "_x" in key
        shown = "not installed" if value is None else _number(value) + (" x" if is_ratio else "")
        table.add_row(key.replace("_", " "), shown, style="bold" if is_ratio else None)
    Console().print(table)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
