"""`selfmate presets`: settings that ship."""

import json
from typing import Annotated

import typer

from selfmate.cli.console import AsJson, reading_input


def presets(
    learner: Annotated[
        str | None,
        typer.Argument(metavar="[LEARNER]", help="Only those of one learner.", show_default="all"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the presets of all learners: how long they take on two cores, and what they do.

    Use one with `selfmate train LEARNER --preset NAME`. One with an open end is
    stopped with --minutes or Ctrl-C, and resumed whenever you like.
    """
    from selfmate.learners.registry import LEARNERS

    with reading_input():
        if learner is not None and learner not in LEARNERS:
            raise ValueError(f"no learner {learner!r}; there are: {', '.join(LEARNERS)}")
    rows = [row for name in LEARNERS if learner in (None, name) for row in _rows(name)]
    if as_json:
        print(json.dumps({"presets": rows}))
    else:
        _print_table(rows)


def _rows(learner: str) -> list[dict[str, str]]:
    from selfmate.learners.registry import LEARNERS
    from selfmate.presets import about_preset, presets_of

    rows = []
    for name in presets_of(learner):
        takes, _, about = about_preset(f"{learner}-{name}").partition(": ")
        row = {"command": LEARNERS[learner].command, "preset": name, "takes": takes, "about": about}
        rows.append(row)
    return rows


def _print_table(rows: list[dict[str, str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("preset", "how long on two cores: what it does", box=None, padding=(0, 2, 0, 0))
    command = ""
    for row in rows:
        if row["command"] != command:
            command = row["command"]
            table.add_row(Text(f"selfmate {command}", style="bold"))
        table.add_row(f"  {row['preset']}", f"{row['takes']}: {row['about']}")
    Console(highlight=False, markup=False).print(table)
