"""`selfmate annotate`: a teacher's evaluation and best move of every position of PGN games."""

import json
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfmate.cli.collect import load_teacher
from selfmate.cli.console import (
    JobFailedError,
    LiveLine,
    duration,
    reading_input,
    say,
    time_left_after,
)

if TYPE_CHECKING:
    from selfmate.data.annotation import Annotation

CAN_RESUME = "the games written so far are good, --resume continues"


def annotate(
    games: Annotated[
        list[Path], typer.Argument(metavar="GAMES...", help="PGN files, also as .zst or .gz.")
    ],
    teacher: Annotated[
        str,
        typer.Option(
            metavar="PLAYER",
            help="Who evaluates: stockfish:nodes=2000, teacher:depth=4, RUN:sims=800.",
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="The file to write: .pgn, .pgn.gz or .pgn.zst.")
    ],
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the same file after an interruption.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Write games with a teacher's evaluation and best move of every position.

    They become comments such as {[%eval 0.31] [%best e2e4]}, each of the
    position after the move it follows. `selfmate import` reads them.

    After a stop or a kill, --resume completes the file.
    """
    from selfmate.data.annotation import Annotation
    from selfmate.data.pgn_import import check_file

    with reading_input():
        for path in games:
            check_file(path)
        scoring = load_teacher(teacher, 1)
    with closing(scoring):
        with reading_input():
            work = Annotation(games, out, scoring, resume=resume)
        started = time.perf_counter()
        stopped_by = _run(work)
    summary = summary_of(work, time.perf_counter() - started)
    print(json.dumps(summary) if as_json else _sentence(summary))
    if stopped_by is not None:
        raise typer.Exit(128 + stopped_by)


def live_line(work: "Annotation") -> LiveLine:
    total = sum(path.stat().st_size for path in work.files)

    def line(seconds: float) -> str:
        stats = work.stats
        left = time_left_after(stats.bytes_read, total, seconds)
        return (
            f"{stats.games:,} games  {stats.positions:,} positions  "
            f"{stats.positions / seconds:,.0f} positions/s  {left}"
        )

    return LiveLine(line)


def summary_of(work: "Annotation", seconds: float) -> dict[str, Any]:
    stats = work.stats
    return {
        "file": str(work.path),
        "teacher": work.teacher,
        "games": stats.games,
        "dropped": stats.dropped,
        "positions": stats.positions,
        "positions_per_s": stats.positions / seconds,
        "seconds": seconds,
    }


def _sentence(summary: dict[str, Any]) -> str:
    dropped = f", {summary['dropped']:,} with errors left out" if summary["dropped"] else ""
    return (
        f"{summary['file']}: {summary['games']:,} games{dropped}; {summary['positions']:,} "
        f"positions by {summary['teacher']} in {duration(summary['seconds'])}, "
        f"{summary['positions_per_s']:,.0f} positions/s"
    )


def _run(work: "Annotation") -> int | None:
    """Annotates until all games are done or a signal stops it; returns the signal."""
    from selfmate.players.engine_process import EngineFaultError
    from selfmate.runs import StopSignals

    signals = StopSignals(say=say, ends_process=True)
    try:
        with closing(work), signals, live_line(work) as view:
            for _ in work.run():
                view.update()
                if signals.received is not None:
                    break
            work.sync()
    except EngineFaultError as fault:
        raise JobFailedError(f"{work.teacher} failed: {fault}; {CAN_RESUME}") from fault
    except ValueError as error:
        raise JobFailedError(f"{error}; {CAN_RESUME}") from error
    except OSError as error:
        raise JobFailedError(f"cannot write {work.path}: {error.strerror}; {CAN_RESUME}") from error
    return signals.received
