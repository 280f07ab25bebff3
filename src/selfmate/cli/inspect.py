"""`selfmate inspect`: settings, figures and checkpoints of one run, and what is damaged."""

import json
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.errors import reading_input
from selfmate.cli.run_summary import changed_settings, figures_of, summary_of

if TYPE_CHECKING:
    from selfmate.runs.directory import RunDirectory

RECENT = 10


def inspect(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Its directory, such as runs/x.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what is in a run: settings, figures, notes, checkpoints, what it remembers.

    Every checkpoint is verified.
    """
    from selfmate.cli.checkpoint_survey import replay_of, survey
    from selfmate.cli.inspect_view import print_inspection
    from selfmate.runs.directory import RunDirectory

    with reading_input():
        found = RunDirectory(run)
        surveyed = survey(found)
        replay = replay_of(surveyed.newest) if surveyed.newest else None
    series = _series(found)
    report = {
        **summary_of(found),
        "config": found.config,
        "changed": changed_settings(found),
        "message": found.status().message,
        **_times(found),
        "figures": {name: _spread(values) for name, values in series.items()},
        "notes": list(found.notes()),
        "sample": found.newest_sample(),
        "replay": replay,
        "checkpoints": surveyed.checkpoints,
        "bytes": surveyed.size_bytes,
    }
    if as_json:
        print(json.dumps(report))
    else:
        print_inspection(found, report, series)


def _series(run: "RunDirectory") -> dict[str, list[float]]:
    unit = run.status().unit
    series: dict[str, list[float]] = {}
    for line in run.metrics():
        for name, value in figures_of(line, unit).items():
            series.setdefault(name, []).append(value)
    return series


def _spread(values: list[float]) -> dict[str, float]:
    return {
        "last": values[-1],
        "recent_mean": fmean(values[-RECENT:]),
        "least": min(values),
        "greatest": max(values),
    }


def _times(run: "RunDirectory") -> dict[str, object]:
    """The seconds of all steps, and which share of them each part took, where that was noted."""
    seconds, parts = 0.0, dict[str, float]()
    for line in run.timings():
        seconds += figures_of(line, "").get("seconds", 0.0)
        noted = line.get("parts")
        for name, part in figures_of(noted, "").items() if isinstance(noted, dict) else ():
            parts[name] = parts.get(name, 0.0) + part
    return {
        "seconds": seconds,
        "shares": {name: part / seconds for name, part in parts.items()} if seconds else {},
    }
