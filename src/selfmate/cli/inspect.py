"""`selfmate inspect`: settings, figures and checkpoints of one run, and what is damaged."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfmate.cli.errors import reading_input
from selfmate.cli.figures import duration, figure
from selfmate.cli.plot import Curve, plot_panels
from selfmate.cli.run_summary import age, changed_settings, figures_of, summary_of
from selfmate.learners import LEARNERS

if TYPE_CHECKING:
    from rich.console import Console

    from selfmate.runs.directory import RunDirectory
    from selfmate.runs.run import Arrays

PLOT_LINES = 7


def inspect(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Its directory, such as runs/x.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what is in a run: settings, figures, checkpoints. Every checkpoint is verified."""
    from selfmate.runs.directory import RunDirectory

    with reading_input():
        found = RunDirectory(run)
    curves = _curves(found)
    report = {
        **summary_of(found),
        "config": found.config,
        "changed": changed_settings(found),
        "message": found.status().message,
        "seconds": sum(figures_of(line, "").get("seconds", 0.0) for line in found.timings()),
        "figures": {name: _spread(curve) for name, curve in curves.items()},
        "checkpoints": _checkpoints(found),
    }
    if as_json:
        print(json.dumps(report))
    else:
        _print(report, curves)


def _curves(run: "RunDirectory") -> dict[str, Curve]:
    unit = run.status().unit
    curves: dict[str, Curve] = {}
    for line in run.metrics():
        for name, value in figures_of(line, unit).items():
            curves.setdefault(name, Curve()).add(value)
    return curves


def _spread(curve: Curve) -> dict[str, float]:
    return {"last": curve.last, "least": curve.least, "greatest": curve.greatest}


def _checkpoints(run: "RunDirectory") -> list[dict[str, Any]]:
    """Each with what its card says and its arrays, or with the reason why it cannot be used."""
    from selfmate.runs.checkpoints import Checkpoints
    from selfmate.runs.errors import DamagedError

    entries: list[dict[str, Any]] = []
    for step in Checkpoints(run.path).steps():
        try:
            checkpoint = Checkpoints(run.path).read(step, run.header)
        except DamagedError as error:
            if Checkpoints(run.path).path(step).exists():  # else retention was quicker
                entries.append({"step": step, "damage": str(error)})
            continue
        card = checkpoint.card
        entries.append(
            {
                "step": step,
                "damage": None,
                "done": card.done,
                "bytes": sum(note.size_bytes for note in card.files.values()),
                "player": dict(card.player),
                "weights": _shapes(checkpoint.saved.weights),
                "rest": _shapes(checkpoint.saved.rest),
                "facts": sorted(card.facts),
            }
        )
    return entries


def _shapes(arrays: "Arrays") -> dict[str, str]:
    """float32 [58, 200]"""
    return {name: f"{array.dtype} {list(array.shape)}" for name, array in arrays.items()}


def _print(report: Mapping[str, Any], curves: Mapping[str, Curve]) -> None:
    from rich.console import Console
    from rich.markup import escape

    from selfmate.learners.settings import in_words

    console = Console(highlight=False)
    changed = ", ".join(f"{key} = {in_words(v)}" for key, v in report["changed"].items())
    progress = f"{report['done']:,} of {report['total']:,} {report['unit']}"
    message = f": {report['message']}" if report["message"] else ""
    console.print(f"[bold]{escape(report['run'])}[/]  {escape(report['learner'])}")
    console.print(f"  state     {report['state']}{escape(message)}")
    console.print(f"  progress  {progress}, {duration(report['seconds'])} of training", end="")
    console.print(f", written {age(report['updated'])}")
    console.print(f"  settings  {escape(changed) or 'all at their defaults'}\n")
    _print_figures(console, report, curves)
    _print_checkpoints(console, report)


def _print_figures(
    console: "Console", report: Mapping[str, Any], curves: Mapping[str, Curve]
) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("figure")
    for column in ("last", "least", "greatest"):
        table.add_column(column, justify="right")
    for name, spread in report["figures"].items():
        table.add_row(name, *(figure(value) for value in spread.values()))
    console.print(table)
    plots = LEARNERS[report["learner"]].plots if report["learner"] in LEARNERS else ()
    shown = {name: curves[name] for name in plots if name in curves}
    if shown:
        console.print()
        console.print(plot_panels(shown, console.width - 1, PLOT_LINES * len(shown)))


def _print_checkpoints(console: "Console", report: Mapping[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("checkpoint", "done", "size", "what"):
        table.add_column(column, justify="left" if column == "what" else "right")
    best = report["best"]["step"] if report["best"] else None
    for entry in report["checkpoints"]:
        if entry["damage"]:
            table.add_row(f"{entry['step']}", "", "", f"[red]damaged: {escape(entry['damage'])}[/]")
            continue
        mark = "the best" if entry["step"] == best else "good"
        table.add_row(
            f"{entry['step']}", f"{entry['done']:,}", f"{entry['bytes'] / 1e6:,.2f} MB", mark
        )
    console.print()
    console.print(table if report["checkpoints"] else "no checkpoints yet")
    good = [entry for entry in report["checkpoints"] if not entry["damage"]]
    for part in ("weights", "rest") if good else ():
        arrays = ", ".join(f"{name} {shape}" for name, shape in good[-1][part].items())
        console.print(f"  {part}  {escape(arrays)}")
