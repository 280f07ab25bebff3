"""`selfmate runs`: what was trained here, and deleting it."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from selfmate.cli.default_run import RUNS
from selfmate.cli.errors import BadInputError, JobFailedError, reading_input
from selfmate.cli.figures import figure
from selfmate.cli.run_summary import age, summary_of
from selfmate.learners import LEARNERS

COLOURS = {"running": "cyan", "finished": "green", "failed": "red", "killed": "yellow"}

runs = typer.Typer(help="List the runs below runs/, or delete one.", invoke_without_command=True)


@runs.callback()
def list_all(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    if context.invoked_subcommand is not None:
        return
    from selfmate.runs.listing import list_runs

    with reading_input():
        summaries = [summary_of(run) for run in list_runs(RUNS)]
    if as_json:
        print(json.dumps({"runs": summaries}))
    elif summaries:
        _print_table(summaries)
    else:
        print(f"There are no runs below {RUNS}/ yet. Start one: selfmate train ddqn")


@runs.command()
def delete(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Its directory, such as runs/x.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a run for good; one that is being written is refused."""
    from selfmate.runs.directory import RunDirectory
    from selfmate.runs.listing import delete_run

    with reading_input():
        status = RunDirectory(run).status()
        if status.state == "running":
            raise ValueError(f"{run} is being written by process {status.pid}: stop it first")
    if not yes and not _agreed(f"Delete {run}, {status.done:,} {status.unit} of training?"):
        raise JobFailedError(f"{run} was kept")
    with reading_input():
        delete_run(run)
    print(f"deleted {run}")


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise BadInputError("nobody is there to be asked: add --yes to delete it")
    return typer.confirm(question)


def _print_table(summaries: Sequence[Mapping[str, Any]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0))
    for column in ("run", "state", "last", "best", "written"):
        table.add_column(column, no_wrap=column != "last", overflow="fold")
    for summary in summaries:
        table.add_row(
            escape(_name(summary)),
            f"[{COLOURS.get(summary['state'], 'default')}]{_state(summary)}[/]",
            _last(summary),
            figure(summary["best"]["score"]) if summary["best"] else "-",
            age(summary["updated"]),
        )
    Console(highlight=False).print(table)


def _name(summary: Mapping[str, Any]) -> str:
    """With the learner, unless the directory says it already."""
    run, learner = summary["run"], summary["learner"]
    return run if Path(run).name.startswith(learner) else f"{run} ({learner})"


def _state(summary: Mapping[str, Any]) -> str:
    if summary["state"] == "finished":
        return "finished"
    return f"{summary['state']} {summary['done'] / max(1, summary['total']):.0%}"


def _last(summary: Mapping[str, Any]) -> str:
    """The figure that tells most: the first headline, or the last of the learner's plots."""
    learner = LEARNERS.get(summary["learner"])
    plots = learner.plots if learner else ()
    headlines = learner.headlines[::-1] if learner else ()
    names = [*summary["last"], *plots, *headlines]
    told = [name for name in names if name in summary["last"]]
    return f"{told[-1]} {figure(summary['last'][told[-1]])}" if told else "-"
