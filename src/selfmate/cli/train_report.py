"""What a run is going to do, and what came of it."""

import math
import shlex
import shutil
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfmate.cli.epochs import epochs_of, print_epochs
from selfmate.cli.figures import duration, figure
from selfmate.cli.run_summary import told_first

if TYPE_CHECKING:
    from selfmate.learners import Learner
    from selfmate.learners.config import Config


def print_settings(learner: "Learner") -> None:
    """Every setting with its default and what is allowed, from the class of the configuration."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from selfmate.learners.config import DEFAULT
    from selfmate.learners.settings import in_words, settings_of
    from selfmate.presets import presets_of

    table = Table(title=f"{learner.name}: {learner.summary}", title_justify="left")
    for column in ("setting", "default", "what it is"):
        table.add_column(column, overflow="fold", no_wrap=column == "setting")
    for setting in settings_of(learner.config_class).values():
        meaning = f"{escape(setting.description)}\n[dim]{escape(setting.allowed)}[/]"
        table.add_row(setting.name, escape(in_words(setting.default)), meaning)
    console = Console(highlight=False)
    console.print(table)
    presets = ", ".join([DEFAULT, *presets_of(learner.name)])
    console.print(f"Presets: {presets}. One setting: --set key=value; many: --config FILE.")


def print_plan(learner: "Learner", config: "Config", directory: Path, pause_after: float) -> None:
    """Before the first step, on standard error."""
    from selfmate.learners.settings import in_words

    changed = ", ".join(f"{key} = {in_words(value)}" for key, value in config.changed().items())
    lines = [
        f"{learner.name}: {learner.summary}",
        f"  run       {directory}",
        _wrapped("settings  ", changed or "all at their defaults"),
    ]
    if learner.is_rehearsed:
        lines.append(f"  length    {_length(learner, config, directory, pause_after)}")
    print("\n".join(lines), file=sys.stderr, flush=True)


def _wrapped(title: str, text: str) -> str:
    """Lines for the terminal, indented below a title."""
    first = f"  {title}"
    return textwrap.fill(
        text,
        shutil.get_terminal_size().columns,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _length(learner: "Learner", config: "Config", directory: Path, pause_after: float) -> str:
    """How much there is to do, and how long that takes here, found by doing a little of it."""
    from selfmate.runs.errors import RunFailedError
    from selfmate.runs.rehearsal import Rehearsal

    rehearsal = Rehearsal()
    try:
        learner.train(config, rehearsal)
    except RunFailedError as error:
        return f"not foreseen, a rehearsal failed: {error}"
    plan, done = rehearsal.plan, _done(directory)
    left = plan.total - done
    now = min(left, plan.size * math.ceil(min(pause_after, left) / plan.size))
    before = f", {done:,} of them done" if done else ""
    before += f", {now:,} until the pause" if now < left else ""
    seconds = rehearsal.seconds_for(now)
    about = f"about {duration(seconds)}" if seconds >= 1 else "less than a second"
    return f"{plan.total:,} {plan.unit}{before}, {about} here at the pace of the first steps"


def _done(directory: Path) -> int:
    """Units a resumed run has behind it."""
    from selfmate.runs.directory import RunDirectory

    try:
        return RunDirectory(directory).status().done
    except ValueError:
        return 0


def print_report(learner: "Learner", report: Mapping[str, Any]) -> None:
    """After the last step, on standard output."""
    from selfmate.runs.directory import RunDirectory

    run = shlex.quote(report["run"])
    progress = f"{report['done']:,} of {report['total']:,} {report['unit']}"
    print(f"{report['state']}: {report['run']}, {progress}, {duration(report['seconds'])}")
    print_epochs(epochs_of(RunDirectory(Path(report["run"]))))
    if report["last"]:
        told = told_first(learner, report["last"])
        last = ", ".join(f"{name} {figure(value)}" for name, value in told.items())
        print(_wrapped("last  ", last))
    if report["best"]:
        print(f"  best  score {figure(report['best']['score'])} in step {report['best']['step']:,}")
    again = f"selfmate {learner.command} --run {run} --resume"
    print(f"  next  {learner.then.format(run=run) if report['state'] == 'finished' else again}")
