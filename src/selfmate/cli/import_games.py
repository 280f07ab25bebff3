"""`selfmate import`: recorded games into chunks of positions, for nets to learn from."""

import json
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.errors import BadInputError, JobFailedError, reading_input
from selfmate.cli.import_view import live_line, print_summary, summary_of
from selfmate.cli.numbers import LARGEST_SEED, between, whole

if TYPE_CHECKING:
    from selfmate.data.game_import import GameImport

MOST_VALIDATION = 0.9


def import_games(
    games: Annotated[
        list[Path], typer.Argument(metavar="GAMES...", help="PGN, also .zst and .gz.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A folder for the chunks.")],
    least_elo: Annotated[
        int,
        typer.Option(
            parser=whole(0, 9999), metavar="N", help="Of both players; 0 takes everybody."
        ),
    ] = 2200,
    unrated: Annotated[
        bool, typer.Option("--unrated", help="Also games of players whose rating is missing.")
    ] = False,
    skip_plies: Annotated[
        int,
        typer.Option(parser=whole(0, 10_000), metavar="N", help="Positions left out of each game."),
    ] = 24,
    validation: Annotated[
        float,
        typer.Option(
            parser=between(0, MOST_VALIDATION), metavar="F", help="Share of games to be tested on."
        ),
    ] = 0.05,
    seed: Annotated[
        int, typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same order.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Read recorded games, keep the good ones, and write their positions in shuffled chunks.

    Dropped are games with an error in them, without a result, from another start, of weaker or
    unrated players, those that were broken off, are too short or came before. DIR/dropped.tsv says
    which and why.

    Stopped or killed, the same command goes on and comes to the same chunks.
    """
    from selfmate.data.game_filter import GameFilter
    from selfmate.data.game_import import GameImport, ImportSettings

    game_filter = GameFilter(least_elo=least_elo, unrated=unrated, skip_plies=skip_plies)
    settings = ImportSettings(game_filter=game_filter, validation=validation, seed=seed)
    with reading_input():
        work = GameImport(games, out, settings)
    started = time.perf_counter()
    with closing(work):
        stopped_by = _run(work)
    if stopped_by is not None:
        raise typer.Exit(128 + stopped_by)
    assert work.manifest is not None
    summary = summary_of(out, work.manifest, work.was_finished, time.perf_counter() - started)
    if as_json:
        print(json.dumps(summary))
    else:
        print_summary(summary, out)


def _run(work: "GameImport") -> int | None:
    """Imports until all is there or until a signal, whose number is returned."""
    from selfmate.data.game_import import NothingKeptError
    from selfmate.runs.stop_signals import StopSignals

    if work.folder.unfinished.exists():
        print(f"going on with the import in {work.folder.path}", file=sys.stderr)
    signals = StopSignals()
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
            f"cannot {what}: {error.strerror}; the same command goes on"
        ) from error
    return signals.received
