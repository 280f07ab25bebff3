"""`selfmate puzzles`: how many puzzles a player solves, by rating and theme."""

import json
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfmate.cli.console import (
    LARGEST_SEED,
    BadInputError,
    JobFailedError,
    LiveLine,
    counted,
    reading_input,
    short_number,
    time_left_after,
    whole,
)
from selfmate.cli.stopping import StopListener, same_command

if TYPE_CHECKING:
    from selfmate.arena.puzzles import Puzzle, PuzzleScore, Result, SolveCount
    from selfmate.players import Player

THEMES_SHOWN = 12


def puzzles(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="As for `selfmate match`.")],
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Puzzles in Lichess' CSV format, also as .zst or .gz."),
    ],
    most: Annotated[
        int | None,
        typer.Option(
            "--most", parser=whole(1, 10**9), metavar="N", help="Only the first N puzzles."
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(parser=whole(1, 10**9), metavar="N", help="N puzzles, drawn at random."),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same sample and moves."
        ),
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Solve puzzles in Lichess' format. Any mate solves a mating puzzle."""
    from selfmate.players import load_player

    if most is not None and sample is not None:
        raise BadInputError("--most and --sample exclude each other: the first N, or N at random")
    with LiveLine(lambda _: f"loading {player} ...") as view:
        with reading_input():
            contestant = load_player(player)
        with closing(contestant):
            tasks = _read(file, most, sample, seed, view)
            _Session(contestant, tasks, seed, as_json).solve(view)


def _read(
    file: Path, most: int | None, sample: int | None, seed: int, view: LiveLine
) -> "list[Puzzle]":
    from selfmate.arena.puzzles import read_puzzles
    from selfmate.rules.pgn import DamagedFileError

    rows_read = 0

    def count(rows: int) -> None:
        nonlocal rows_read
        rows_read = rows
        view.update()

    view.follow(lambda _: f"reading {file}: {rows_read:,} puzzles")
    try:
        with reading_input():
            return read_puzzles(file, most, sample=sample, seed=seed, on_rows=count)
    except BadInputError as error:
        if isinstance(error.__cause__, DamagedFileError):
            raise JobFailedError(f"{error}; no puzzle was tried") from error
        raise


class _Session:
    """Solves puzzles, and reports those that were tried however it ends."""

    def __init__(
        self, player: "Player", puzzles: "Sequence[Puzzle]", seed: int, as_json: bool
    ) -> None:
        self._player, self._puzzles, self._seed, self._as_json = player, puzzles, seed, as_json
        self._results: list[Result] = []
        self._started = time.perf_counter()

    def solve(self, view: LiveLine) -> None:
        from selfmate.arena.puzzles import solve_in_rounds

        view.follow(self._line)
        with StopListener(view, self._report_so_far) as stop:
            for results in solve_in_rounds(self._player, self._puzzles, self._seed):
                if stop.is_set():
                    break
                self._results += results
                view.update()
            stop.end()
        self._report()

    def _line(self, seconds: float) -> str:
        done, total = len(self._results), len(self._puzzles)
        title = f"{self._player.name}  {done:,}/{total:,} puzzles"
        if not done:
            return title
        solved, rate = sum(is_solved for _, is_solved in self._results), done / seconds
        left = time_left_after(done, total, seconds)
        return f"{title}  solved {solved / done:.1%}  {short_number(rate)} puzzles/s  {left}"

    def _report(self) -> None:
        from selfmate.arena.puzzles import score_results

        seconds, score = time.perf_counter() - self._started, score_results(self._results)
        if self._as_json:
            print(json.dumps(_report(self._player.name, score, seconds)), flush=True)
        else:
            _print_tables(self._player.name, score)

    def _report_so_far(self) -> None:
        if self._results:
            self._report()
        done, total = len(self._results), counted(len(self._puzzles), "puzzle")
        typer.echo(
            f"stopped after {done:,} of {total}; nothing is kept, so all are tried again by: "
            f"{same_command()}",
            err=True,
        )


def _report(player: str, score: "PuzzleScore", seconds: float) -> dict[str, Any]:
    return {
        "player": player,
        "solved": score.overall.solved,
        "puzzles": score.overall.total,
        "share": score.overall.share,
        "share_interval": score.overall.interval,
        "by_rating": {str(band): asdict(count) for band, count in score.by_band.items()},
        "by_theme": {theme: asdict(count) for theme, count in score.by_theme.items()},
        "seconds": seconds,
    }


def _print_tables(player: str, score: "PuzzleScore") -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from selfmate.arena.puzzles import BAND_WIDTH

    console = Console(highlight=False, markup=False)
    overall = score.overall
    low, high = overall.interval
    share = f"{overall.share:.1%}, 95 % interval {low:.1%} to {high:.1%}"
    console.print(f"{player} solved {overall.solved:,} of {overall.total:,} ({share})\n")
    common = sorted(score.by_theme.items(), key=lambda item: -item[1].total)[:THEMES_SHOWN]
    bands = {f"{band}-{band + BAND_WIDTH - 1}": count for band, count in score.by_band.items()}
    groups: dict[str, dict[str, SolveCount]] = {"rating": bands, "theme": dict(common)}
    for title, rows in groups.items():
        table = Table(box=None, padding=(0, 2), title_justify="left")
        for column in (title, "solved", "of", "share", ""):
            table.add_column(column, justify="left" if column in (title, "") else "right")
        for label, count in rows.items():
            bar = Text("█" * round(30 * count.share), style="cyan")
            table.add_row(label, str(count.solved), str(count.total), f"{count.share:.0%}", bar)
        console.print(table)
        console.print()
