"""`selfmate runs`: the list of runs, and deleting one."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from selfmate.cli.console import (
    BadInputError,
    JobFailedError,
    duration,
    escape,
    printable,
    reading_input,
    short_number,
)
from selfmate.learners.registry import LEARNERS

if TYPE_CHECKING:
    from selfmate.learners.config import Config
    from selfmate.learners.learner import Learner
    from selfmate.runs import RunDirectory


T = TypeVar("T")
RUNS = Path("runs")
COLOURS = {"running": "cyan", "finished": "green", "failed": "red", "killed": "yellow"}


def default_directory(learner: str, preset: str, config: "Config", resume: bool) -> Path:
    """runs/LEARNER-PRESET-N with the first free N. To resume, the newest run with the same
    settings, preferably one that is not finished."""
    from selfmate.runs import free_name

    stem = f"{learner}-{preset}-"
    same = _same_runs(stem, config.plain()) if resume else []
    return same[-1] if same else RUNS / free_name(RUNS, stem)


def _same_runs(stem: str, config: dict[str, Any]) -> list[Path]:
    """Finished runs first, then the others, each by number."""
    from selfmate.runs import list_runs

    found = []
    for run in list_runs(RUNS):
        number = run.path.name.removeprefix(stem)
        if number.isdecimal() and run.path.name.startswith(stem) and run.config == config:
            found.append((run.status().state != "finished", int(number), run.path))
    return [path for _, _, path in sorted(found)]


def summary_of(run: "RunDirectory") -> dict[str, Any]:
    """The keys that `train`, `runs` and `inspect` share in their `--json`."""
    status, best = run.status(), run.best()
    return {
        "run": str(run.path),
        "learner": run.learner,
        "state": status.state,
        "done": status.done,
        "total": status.total,
        "unit": status.unit,
        "updated": status.updated,
        "last": _last_metrics(run, status.unit),
        "best": best and asdict(best),
    }


def _last_metrics(run: "RunDirectory", unit: str) -> dict[str, float]:
    """The newest value of every metric; some are not reported in every step."""
    newest: dict[str, float] = {}
    for line in run.metrics():
        newest |= metrics_of(line, unit)
    return newest


def metrics_of(line: Mapping[str, Any], unit: str) -> dict[str, float]:
    """The metrics in a line of metrics.jsonl, without its step and units."""
    return {
        name: value
        for name, value in line.items()
        if name not in ("step", unit) and isinstance(value, int | float)
    }


def key_metrics(learner: "Learner | None", metrics: Mapping[str, T]) -> dict[str, T]:
    """The learner's key metrics in their order; all metrics if it declares none."""
    names = learner.key_metrics if learner else ()
    return {name: metrics[name] for name in names if name in metrics} or dict(metrics)


def changed_settings(run: "RunDirectory") -> dict[str, Any]:
    """The settings of a run that differ from the present defaults."""
    known = run.learner in LEARNERS
    defaults = LEARNERS[run.learner].config_class().plain() if known else {}
    return {
        key: value
        for key, value in run.config.items()
        if key not in defaults or value != defaults[key]
    }


def age(updated: str) -> str:
    """How long ago a status was written, roughly."""
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(updated)).total_seconds()
    except (ValueError, TypeError):  # a foreign status file
        return "?"
    number, unit, *_ = duration(max(0.0, seconds)).split()
    return f"{number} {unit} ago"


runs = typer.Typer(help="List the runs of a folder, or delete one.", invoke_without_command=True)


@runs.callback()
def list_all(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Option("--runs", metavar="DIR", help="The folder of all runs.")
    ] = RUNS,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    if context.invoked_subcommand is not None:
        return
    from selfmate.runs import list_runs

    with reading_input():
        if folder != RUNS and not folder.is_dir():
            raise ValueError(f"there is no folder {folder}")
        summaries = [summary_of(run) for run in list_runs(folder)]
    if as_json:
        print(json.dumps({"runs": summaries}))
    elif summaries:
        _print_table(summaries)
    else:
        print(f"There are no runs in {folder}/ yet. Start one: selfmate train ddqn")


@runs.command()
def delete(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Its directory, such as runs/x.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete a run for good. A run that is being written is refused."""
    from selfmate.runs import RunDirectory, delete_run

    with reading_input():
        status = RunDirectory(run).status()
        if status.state == "running":
            raise ValueError(f"{run} is being written by process {status.pid}: stop it first")
    training = printable(f"{run}, {status.done:,} {status.unit} of training")
    if not yes and not _confirmed(f"Delete {training}?"):
        raise JobFailedError(f"{run} was kept")
    with reading_input():
        delete_run(run)
    print(f"deleted {run}")


def _confirmed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise BadInputError(
            "standard input is no terminal, so nobody can confirm: add --yes to delete the run"
        )
    return typer.confirm(question)


def _print_table(summaries: Sequence[Mapping[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0))
    for column in ("run", "state", "last", "best", "written"):
        table.add_column(column, no_wrap=column != "last", overflow="fold")
    for summary in summaries:
        table.add_row(
            escape(_name(summary)),
            f"[{COLOURS.get(summary['state'], 'default')}]{_state(summary)}[/]",
            escape(_last(summary)),
            short_number(summary["best"]["score"]) if summary["best"] else "-",
            age(summary["updated"]),
        )
    Console(highlight=False).print(table)


def _name(summary: Mapping[str, Any]) -> str:
    """The directory, with the learner unless its name says it already."""
    run, learner = summary["run"], summary["learner"]
    return run if Path(run).name.startswith(learner) else f"{run} ({learner})"


def _state(summary: Mapping[str, Any]) -> str:
    if summary["state"] == "finished":
        return "finished"
    return f"{summary['state']} {summary['done'] / max(1, summary['total']):.0%}"


def _last(summary: Mapping[str, Any]) -> str:
    """The most important metric: the first key metric, or the last of the plotted ones."""
    learner = LEARNERS.get(summary["learner"])
    plots = learner.plots if learner else ()
    keys = learner.key_metrics[::-1] if learner else ()
    names = [*summary["last"], *plots, *keys]
    known = [name for name in names if name in summary["last"]]
    return f"{known[-1]} {short_number(summary['last'][known[-1]])}" if known else "-"
