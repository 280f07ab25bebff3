"""`selfmate strength`: what each way of learning reaches after minutes of training here."""

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from selfmate.cli.console import (
    AsJson,
    JobFailedError,
    LiveLine,
    counted,
    duration,
    escape,
    reading_input,
    sentence_of,
    time_left,
    whole,
)
from selfmate.cli.stopping import StopListener, same_command
from selfmate.strength.families import ALPHAZERO, FAMILIES, STARTS

if TYPE_CHECKING:
    from selfmate.strength.measurement import Measurement
    from selfmate.strength.plan import Plan
    from selfmate.strength.results import StrengthData

OUT, QUICK_OUT = Path("runs/strength"), Path("runs/strength-quick")
MINUTES, QUICK_MINUTES = "5,15,60,240", "0.1,0.3"
SEEDS, QUICK_SEEDS = 3, 1
GAMES, QUICK_GAMES = 200, 12
MAX_MINUTES = 100_000
LOCK = "lock"
CONTINUES = "what is finished is kept, and the rest is measured by:"


def _parse_minutes(text: str) -> tuple[float, ...]:
    try:
        # As names of files have them.
        minutes = {float(f"{float(word):g}") for word in text.split(",")}
    except ValueError:
        minutes = set()
    if not minutes or not all(0 < number <= MAX_MINUTES for number in minutes):
        raise ValueError(
            f"--minutes {text!r} is no list of minutes above 0 and up to {MAX_MINUTES:,}, "
            f"such as {MINUTES}"
        )
    return tuple(sorted(minutes))


def _parse_starts(text: str) -> tuple[str, ...]:
    starts = text.split(",")
    if unknown := [start for start in starts if start not in STARTS]:
        raise ValueError(f"--from {unknown[0]!r} is no start; there are: {', '.join(STARTS)}")
    return tuple(dict.fromkeys(starts))


def strength(
    learners: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LEARNER]...",
            help=f"Of {', '.join(family.name for family in FAMILIES)}; {ALPHAZERO} means both.",
            show_default="all",
        ),
    ] = None,
    minutes: Annotated[
        str | None,
        typer.Option(
            metavar="M,M,...",
            help="Times of one training at which its net is rated.",
            show_default=MINUTES,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 1000),
            metavar="N",
            help="Trainings of each kind, with random seeds from 1 on.",
            show_default=str(SEEDS),
        ),
    ] = None,
    starts: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="START,...",
            help=f"Where learning begins: {', '.join(STARTS)}.",
            show_default="nothing,teacher; with --data games too",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Recorded games, a folder from `selfmate import`."),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            parser=whole(2, 10**5),
            metavar="N",
            help="Games of a rating.",
            show_default=str(GAMES),
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Runs, snapshots, table, picture and page.",
            show_default=str(OUT),
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A smoke test with tiny nets: some minutes in all.")
    ] = False,
    only_plan: Annotated[
        bool, typer.Option("--plan", help="Say what would be measured, and how long it takes.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure how strong each way of learning becomes with time, on this machine.

    Trains from nothing (and from a teacher or recorded games), takes the net after
    each of the times, and rates it on the ladder. 5, 15 and 60 minutes are of one
    training. Ratings are played between trainings; keep the machine free of other
    work, for that would count.

    Stop it whenever you like: the same command continues, and figures that are
    finished stay as they are. Other learners, seeds or longer times may be added
    to the same --out later.
    """
    from selfmate.extras import check_extra
    from selfmate.strength.families import find_families
    from selfmate.strength.plan import Request, make_plan

    folder = out or (QUICK_OUT if quick else OUT)
    with reading_input():
        request = Request(
            families=find_families(learners or ()),
            starts=_parse_starts(starts) if starts else _default_starts(quick, data),
            minutes=_parse_minutes(minutes or (QUICK_MINUTES if quick else MINUTES)),
            seeds=seeds or (QUICK_SEEDS if quick else SEEDS),
            games=_even(games or (QUICK_GAMES if quick else GAMES)),
            quick=quick,
            data=_checked_data(data),
        )
        plan = make_plan(request)
        check_extra("train")
        results = _results(folder, quick)
        measurement = _measurement(plan, folder, results)
    _print_plan(plan, measurement, folder)
    if only_plan:
        return
    _measure(measurement, folder)
    _report(results, folder, as_json)
    if measurement.failed:
        raise JobFailedError(
            f"{', '.join(measurement.failed)} failed and can be tried again by: {same_command()}"
        )


def _default_starts(quick: bool, data: Path | None) -> tuple[str, ...]:
    if quick:
        return STARTS[:1]
    return STARTS if data is not None else STARTS[:2]


def _even(games: int) -> int:
    """Each opening is played twice."""
    return games + games % 2


def _checked_data(path: Path | None) -> Path | None:
    """The folder as all processes find it; ValueError unless it holds imported games."""
    if path is None:
        return None
    from selfmate.data.dataset import ChunkFolder

    ChunkFolder(path)
    return path.resolve()


def _results(folder: Path, quick: bool) -> "StrengthData":
    """What the folder has; ValueError if it cannot be added to."""
    from selfmate.strength.results import new_results, read_results, this_machine

    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is not a directory: choose another --out")
    found = read_results(folder)
    if found is None:
        return new_results(quick)
    if found["quick"] != quick:
        kind = "a smoke test (--quick)" if found["quick"] else "a measurement without --quick"
        raise ValueError(f"{folder} holds {kind}: choose another --out")
    if found["machine"] != this_machine():
        there = found["machine"]
        raise ValueError(
            f"{folder} was measured on {there['processor']}, {there['cores']} cores, which this "
            "machine does not have: choose another --out"
        )
    return found


def _measurement(plan: "Plan", folder: Path, results: "StrengthData") -> "Measurement":
    from selfmate.strength.measurement import Measurement

    return Measurement(plan, folder, results)


def _print_plan(plan: "Plan", measurement: "Measurement", folder: Path) -> None:
    missing = measurement.missing
    done = len(list(plan.parts())) - len(missing)
    trainings = len({part.training.name for part in missing})
    stay = "stays" if done == 1 else "stay"
    kept = f"; {counted(done, 'rating')} of before {stay}" if done else ""
    typer.echo(
        f"{counted(trainings, 'training')}, {counted(len(missing), 'rating')} of {plan.games} "
        f"games, about {duration(60 * measurement.minutes_left())}; to {folder}{kept}",
        err=True,
    )


def _measure(measurement: "Measurement", folder: Path) -> None:
    from selfmate.strength.measurement import MeasurementStoppedError
    from selfmate.strength.results import write_results

    if not measurement.missing:
        return

    def report_so_far() -> None:
        if measurement.data["points"]:
            _print_table(measurement.data)
        typer.echo(f"stopped; {CONTINUES} {same_command()}", err=True)

    with reading_input():
        lock = _lock(folder)
    with lock, LiveLine() as view, StopListener(view, report_so_far) as stop:
        measurement.say = view.say
        try:
            _note_command(measurement.data)
            write_results(folder, measurement.data)
            view.follow(lambda _: _line(measurement))
            measurement.run(_updating(view, stop), lambda: _write(folder, measurement.data))
        except MeasurementStoppedError:
            stop.end()
        except OSError as error:
            raise JobFailedError(f"{folder} cannot be written: {sentence_of(error)}") from error


def _updating(view: LiveLine, stop: StopListener) -> Callable[[], bool]:
    def should_stop() -> bool:
        view.update()
        return stop.is_set()

    return should_stop


def _line(measurement: "Measurement") -> str:
    return f"{measurement.text()}  in all {time_left(60 * measurement.minutes_left())}"


def _lock(folder: Path) -> IO[bytes]:
    """Locks the folder until the file is closed; ValueError if another process has it."""
    from selfmate.runs import take

    folder.mkdir(parents=True, exist_ok=True)
    file = (folder / LOCK).open("ab")
    if not take(file.fileno()):
        file.close()
        raise ValueError(f"another process is measuring in {folder}: wait for it, or stop it")
    return file


def _note_command(data: "StrengthData") -> None:
    command = f"selfmate {shlex.join(sys.argv[1:])}"
    if command not in data["commands"]:
        data["commands"].append(command)


def _write(folder: Path, data: "StrengthData") -> None:
    """The picture if it can be drawn, and the page."""
    from selfmate.extras import has_extra
    from selfmate.strength.report import write_page, write_pictures

    if has_extra("plots"):
        write_pictures(folder, data)
    write_page(folder, data)


def _report(data: "StrengthData", folder: Path, as_json: bool) -> None:
    from selfmate.extras import has_extra, missing_sentence
    from selfmate.strength.report import PAGE

    if data["points"]:
        _write(folder, data)
    if as_json:
        print(json.dumps(data))
    else:
        _print_table(data)
    if not has_extra("plots"):
        typer.echo(f"there is no picture: {missing_sentence('plots')}", err=True)
    typer.echo(f"the page: {folder / PAGE}", err=True)


def _print_table(data: "StrengthData") -> None:
    from rich.console import Console
    from rich.table import Table

    from selfmate.strength.report import table_rows

    head, rows = table_rows(data)
    table = Table(
        title="Strength against training time",
        title_justify="left",
        caption=data["scale"],
        caption_justify="left",
    )
    for name in head:
        table.add_column(name)
    for row in rows:
        table.add_row(*(escape(cell.replace("`", "")) for cell in row))
    Console(highlight=False).print(table)
