"""`selfmate puzzles`: how many puzzles a player solves, by rating and theme."""

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfmate.cli.console import LARGEST_SEED, progress, reading_input, whole

if TYPE_CHECKING:
    from selfmate.arena.puzzles import PuzzleScore, SolveCount

THEMES_SHOWN = 12


def puzzles(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="As for `selfmate match`.")],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Puzzles in Lichess' CSV format, also as .zst.")
    ],
    most: Annotated[
        int | None,
        typer.Option(
            "--most", parser=whole(1, 10**9), metavar="N", help="Only the first N puzzles."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same moves.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Solve puzzles in Lichess' format. Any mate solves a mating puzzle."""
    from selfmate.arena.puzzles import read_puzzles, score_results, solve
    from selfmate.players import load_player

    with reading_input():
        contestant = load_player(player)
        tasks = read_puzzles(file, most)
    started = time.perf_counter()
    results = []
    with progress(f"{contestant.name} solving", len(tasks), "puzzles") as bar:
        try:
            for result in solve(contestant, tasks, seed):
                results.append(result)
                bar.advance(1)
        finally:
            contestant.close()
    seconds = time.perf_counter() - started
    score = score_results(results)
    if as_json:
        print(json.dumps(_report(contestant.name, score, seconds)))
    else:
        _print_tables(contestant.name, score)


def _report(player: str, score: "PuzzleScore", seconds: float) -> dict[str, Any]:
    return {
        "player": player,
        "solved": score.overall.solved,
        "puzzles": score.overall.total,
        "share": score.overall.share,
        "by_rating": {str(band): asdict(count) for band, count in score.by_band.items()},
        "by_theme": {theme: asdict(count) for theme, count in score.by_theme.items()},
        "seconds": seconds,
    }


def _print_tables(player: str, score: "PuzzleScore") -> None:
    from rich.console import Console
    from rich.table import Table

    from selfmate.arena.puzzles import BAND_WIDTH

    console = Console(highlight=False)
    overall = score.overall
    console.print(
        f"{player} solved {overall.solved:,} of {overall.total:,} ({overall.share:.1%})\n"
    )
    common = sorted(score.by_theme.items(), key=lambda item: -item[1].total)[:THEMES_SHOWN]
    bands = {f"{band}-{band + BAND_WIDTH - 1}": count for band, count in score.by_band.items()}
    groups: dict[str, dict[str, SolveCount]] = {"rating": bands, "theme": dict(common)}
    for title, rows in groups.items():
        table = Table(box=None, padding=(0, 2), title_justify="left")
        for column in (title, "solved", "of", "share", ""):
            table.add_column(column, justify="left" if column in (title, "") else "right")
        for label, count in rows.items():
            bar = "█" * round(30 * count.share)
            table.add_row(
                label, str(count.solved), str(count.total), f"{count.share:.0%}", f"[cyan]{bar}[/]"
            )
        console.print(table)
        console.print()
