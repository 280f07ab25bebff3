"""`selfmate bench`: speed side by side with other programs."""

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.console import JobFailedError, reading_input

if TYPE_CHECKING:
    from selfmate_benchmarks import Results


def bench(
    suites: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SUITE]...",
            help="rules, teacher, endgame, dqn, reinforce, lab, pgn, import, mcts, "
            "inference, train, searchless, env, tab, ray. Default: all.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per suite.")
    ] = False,
) -> None:
    """Measure speed side by side with other programs in one run, as ratios.

    A suite takes up to a minute.
    """
    _check_installed()
    from selfmate_benchmarks import SUITES, load_suite

    with reading_input():
        runs = {name: load_suite(name) for name in suites or SUITES}
    for name, run in runs.items():
        typer.echo(f"measuring {name}: {SUITES[name]} ...", err=True)
        results = run()
        if as_json:
            print(json.dumps({"suite": name, **results}))
        else:
            _print_table(name, results)


def _check_installed() -> None:
    """The suites are a package of their own, which an installation may lack."""
    if find_spec("selfmate_benchmarks") is None:
        raise JobFailedError(
            "the package selfmate_benchmarks is not installed; it comes with `pip install .` in a "
            "checkout of Selfmate"
        )


def _print_table(suite: str, results: "Results") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"bench {suite}", title_justify="left")
    table.add_column("measure")
    table.add_column("value", justify="right")
    for key, value in results.items():
        is_ratio = "_x" in key
        shown = "not installed" if value is None else _number(value) + (" x" if is_ratio else "")
        table.add_row(key.replace("_", " "), shown, style="bold" if is_ratio else None)
    Console().print(table)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
