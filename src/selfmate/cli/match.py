"""`selfmate match`: two players, paired openings, Elo with its interval."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.errors import reading_input
from selfmate.cli.match_view import live_line, print_report
from selfmate.cli.numbers import LARGEST_SEED, whole

if TYPE_CHECKING:
    from selfmate.arena.run_match import MatchRun

LOGS = Path("runs/matches")


def match(
    a: Annotated[str, typer.Argument(metavar="A", help="A player: teacher:depth=2, runs/dqn-1.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another; results are from A's side.")],
    games: Annotated[
        int, typer.Option(parser=whole(2, 10**6), metavar="N", help="Games, made even.")
    ] = 100,
    openings: Annotated[
        Path | None,
        typer.Option(help="EPD, FEN or PGN file.", show_default="500 lines of our own"),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(metavar="E0,E1[,ALPHA,BETA]", help="Stop when one Elo hypothesis is proven."),
    ] = None,
    pgn: Annotated[Path | None, typer.Option(help="Write all games to this file.")] = None,
    seed: Annotated[
        int, typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same games.")
    ] = 1,
    max_plies: Annotated[
        int, typer.Option(parser=whole(1, 10**5), metavar="N", help="Plies after the opening.")
    ] = 400,
    adjudicate: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 99), metavar="PAWNS", help="End games with such a lead over six plies."
        ),
    ] = None,
    log: Annotated[Path, typer.Option(metavar="DIR", help="Where games are logged.")] = LOGS,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the same match.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Play a match: every opening twice with colours swapped, Elo with a 95 % interval.

    Games are logged under runs/matches as they end, where `selfmate lab` follows them; --resume
    goes on where the same match (players, seed, openings) stopped, also with more games.
    """
    from selfmate.arena.run_match import MatchRun, MatchSettings
    from selfmate.arena.sprt import parse_sprt
    from selfmate.players import load_player

    with reading_input():
        settings = MatchSettings(
            games=games + games % 2,
            seed=seed,
            openings=openings,
            max_plies=max_plies,
            adjudicate_pawns=adjudicate,
            sprt=parse_sprt(sprt) if sprt else None,
        )
        if pgn is not None and not pgn.parent.is_dir():
            raise ValueError(f"there is no folder {pgn.parent} for --pgn {pgn}")
        players = (load_player(a), load_player(b))
        run = MatchRun(players, settings, log, resume)
    started = time.perf_counter()
    _play(run)
    seconds = time.perf_counter() - started
    if run.stopped:
        typer.echo("stopped from outside; --resume goes on", err=True)
    if pgn is not None:
        _write_games(run, pgn)
    if as_json:
        print(json.dumps(run.report().as_dict() | {"seconds": seconds}))
    else:
        print_report(run, seconds)


def _play(run: "MatchRun") -> None:
    try:
        with live_line(run) as view:
            run.play(on_game=view.update)
    finally:
        for player in run.players:
            player.close()


def _write_games(run: "MatchRun", path: Path) -> None:
    from selfmate.arena.match_pgn import write_match_pgn

    names = (run.players[0].name, run.players[1].name)
    today = datetime.now(UTC).strftime("%Y.%m.%d")
    with path.open("w", encoding="utf-8") as file:
        write_match_pgn(run.games(), names, file, date=today, seed=run.settings.seed)
