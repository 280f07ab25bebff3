"""`selfmate import`: PGN games into chunks of training positions."""

import json
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfmate.cli.console import (
    LARGEST_SEED,
    BadInputError,
    JobFailedError,
    LiveLine,
    between,
    duration,
    reading_input,
    say,
    time_left,
    whole,
)

if TYPE_CHECKING:
    from selfmate.data.dataset import Manifest
    from selfmate.data.pgn_import import GameImport, Progress

MAX_SHOWN = 5  # dropped games in the summary
MAX_VALIDATION = 0.9


class _Pace:
    """Rate and time left of the present stage."""

    def __init__(self) -> None:
        self._stage, self._since = "", 0.0

    def text(self, progress: "Progress", seconds: float) -> str:
        if progress.stage != self._stage:
            self._stage, self._since = progress.stage, seconds
        spent = seconds - self._since
        if not progress.done or spent <= 0:
            return ""
        rate = progress.done / spent
        left = time_left((progress.total - progress.done) / rate)
        return f"  {_rate(progress, spent)}  {left}"


def _rate(progress: "Progress", spent: float) -> str:
    if progress.stage == "reading":
        return f"{progress.games_read / spent:,.0f} games/s"
    if progress.stage in ("writing", "fitting"):
        return f"{progress.done / spent:,.0f} positions/s"
    return f"{progress.done / spent / 1e6:,.0f} MB/s"


def live_line(work: "GameImport") -> LiveLine:
    """Stage, games and speed; to be updated after every step of the import."""
    pace = _Pace()

    def line(seconds: float) -> str:
        progress = work.progress
        games = f"  {progress.games_kept:,} of {progress.games_read:,} games kept"
        fraction = f"{progress.stage} {progress.done / max(progress.total, 1):.0%}"
        return fraction + (games if progress.games_read else "") + pace.text(progress, seconds)

    return LiveLine(line)


def summary_of(
    out: Path, manifest: "Manifest", was_finished: bool = False, seconds: float | None = None
) -> dict[str, Any]:
    written = sum(entry.bytes for entries in manifest.chunks.values() for entry in entries)
    positions = sum(manifest.positions.values())
    return {
        "folder": str(out),
        "was_finished": was_finished,
        "games": manifest.games.model_dump(),
        "positions": manifest.positions,
        "chunks": {split: len(entries) for split, entries in manifest.chunks.items()},
        "wdl_curve": manifest.wdl_curve and manifest.wdl_curve.model_dump(),
        "bytes": written,
        "bytes_per_position": written / positions,
        "seconds": seconds,
    }


def print_summary(summary: dict[str, Any], out: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, markup=False)
    if summary["was_finished"]:
        console.print(f"{out} is finished already, nothing was done")
    table = Table(title=str(out), title_justify="left", show_header=False)
    for label, value in _rows(summary):
        table.add_row(label, value)
    console.print(table)
    for line in _first_dropped(out):
        console.print(line, soft_wrap=True)


def _rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    games, positions, chunks = summary["games"], summary["positions"], summary["chunks"]
    rows = [
        (
            split,
            f"{positions[split]:,} positions, {games['kept'][split]:,} games, "
            f"{chunks[split]:,} chunks",
        )
        for split in positions
    ]
    rows += [
        ("evaluated", _note_counts(games)),
        ("results", ", ".join(f"{result} {count:,}" for result, count in games["results"].items())),
        ("ended by", ", ".join(f"{kind} {count:,}" for kind, count in games["endings"].items())),
        ("dropped", f"{sum(games['dropped'].values()):,} of {games['read']:,} games"),
    ]
    rows += [(f"  {reason}", f"{count:,}") for reason, count in games["dropped"].items()]
    rows += [("half won at", _half_won(summary["wdl_curve"]))] if summary["wdl_curve"] else []
    size = (
        f"{summary['bytes'] / 1e6:,.1f} MB, {summary['bytes_per_position']:.0f} bytes per position"
    )
    rows.append(("size", size))
    return rows if summary["seconds"] is None else [*rows, ("time", duration(summary["seconds"]))]


def _note_counts(games: dict[str, Any]) -> str:
    evaluations, best_moves = (sum(games[key].values()) for key in ("evaluations", "best_moves"))
    return f"{evaluations:,} positions; {best_moves:,} have a best move"


def _half_won(curve: dict[str, Any]) -> str:
    """The pawns that win half of the games, by the pieces on the board."""
    wins = {}
    for pieces in (32, 16, 8):
        bare = 1 - pieces / 32
        offset, slope = (
            (1 - bare) * curve[f"{name}_full"] + bare * curve[f"{name}_bare"]
            for name in ("offset", "slope")
        )
        wins[pieces] = offset / slope
    first, *others = (f"{pawns:.2f} pawns with {pieces} pieces" for pieces, pawns in wins.items())
    return ", ".join([first, *(text.replace(" pawns", "") for text in others)])


def _first_dropped(out: Path) -> list[str]:
    """The places of the first games with errors; dropped.tsv lists all."""
    from selfmate.data.game_filter import FAULTY
    from selfmate.data.import_folder import DROPPED

    try:
        lines = (out / DROPPED).read_text("utf-8").splitlines()[1:]
    except OSError:
        return []
    shown = [
        f"{file}, line {line}: {detail}"
        for file, line, reason, detail in (line.split("\t") for line in lines)
        if reason == FAULTY
    ][:MAX_SHOWN]
    return [*shown, f"all dropped games: {out / DROPPED}"] if lines else []


def _time_controls(text: str) -> frozenset[str]:
    from selfmate.data.game_filter import TIME_CONTROLS

    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    for name in sorted(names - {*TIME_CONTROLS}):
        raise BadInputError(f"--time-control {name!r} is none of {', '.join(TIME_CONTROLS)}")
    return names


def import_games(
    games: Annotated[
        list[Path], typer.Argument(metavar="GAMES...", help="PGN files, also as .zst or .gz.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder for the chunks.")],
    least_elo: Annotated[
        int,
        typer.Option(
            parser=whole(0, 9999),
            metavar="N",
            help="Minimum rating of both players; 0 takes all games.",
        ),
    ] = 2200,
    time_control: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Only such games: bullet, blitz, rapid, classical, correspondence; with commas.",
            show_default="any",
        ),
    ] = "",
    max_games: Annotated[
        int | None,
        typer.Option(parser=whole(1, 10**12), metavar="N", help="Stop when N games are kept."),
    ] = None,
    unrated: Annotated[
        bool, typer.Option("--unrated", help="Also take games without ratings.")
    ] = False,
    any_start: Annotated[
        bool, typer.Option("--any-start", help="Also take games that start from another position.")
    ] = False,
    skip_plies: Annotated[
        int,
        typer.Option(
            parser=whole(0, 10_000),
            metavar="N",
            help="Positions to skip at the start of each game.",
        ),
    ] = 24,
    validation: Annotated[
        float,
        typer.Option(
            parser=between(0, MAX_VALIDATION),
            metavar="F",
            help="Fraction of games held out for validation.",
        ),
    ] = 0.05,
    seed: Annotated[
        int, typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same order.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Read PGN games, and write the positions of the good ones in shuffled chunks.

    A game is dropped if it has an error or no result, starts from another
    position, has weak or unrated players or another time control, was abandoned,
    is too short, or is a duplicate. DIR/dropped.tsv lists all dropped games.

    After a stop or a kill, the same command resumes and writes the same chunks.
    """
    from selfmate.data.game_filter import GameFilter
    from selfmate.data.pgn_import import GameImport, ImportSettings

    game_filter = GameFilter(
        least_elo=least_elo,
        unrated=unrated,
        any_start=any_start,
        skip_plies=skip_plies,
        time_controls=_time_controls(time_control),
    )
    settings = ImportSettings(
        game_filter=game_filter, validation=validation, seed=seed, max_games=max_games
    )
    with reading_input():
        work = GameImport(games, out, settings)
    started = time.perf_counter()
    with closing(work):
        stopped_by = run_import(work)
    if stopped_by is not None:
        raise typer.Exit(128 + stopped_by)
    assert work.manifest is not None
    summary = summary_of(out, work.manifest, work.was_finished, time.perf_counter() - started)
    if as_json:
        print(json.dumps(summary))
    else:
        print_summary(summary, out)


def run_import(work: "GameImport") -> int | None:
    """Imports until all is done or a signal stops it; returns the signal."""
    from selfmate.data.pgn_import import NothingKeptError
    from selfmate.runs import StopSignals

    if work.folder.unfinished.exists():
        print(f"resuming the import in {work.folder.path}", file=sys.stderr)
    signals = StopSignals(say=say, ends_process=True)
    try:
        with signals, live_line(work) as view, closing(work.run()) as steps:
            for _ in steps:
                view.update()
                if signals.received is not None:
                    break
    except ValueError as error:
        raise BadInputError(str(error)) from error
    except NothingKeptError as error:
        raise JobFailedError(f"nothing was imported: {error}") from error
    except OSError as error:
        what = f"write {work.folder.path}"
        if error.filename in map(str, work.files):
            what = f"read {error.filename}"
        raise JobFailedError(
            f"cannot {what}: {error.strerror}; the same command resumes"
        ) from error
    return signals.received
