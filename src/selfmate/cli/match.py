"""`selfmate match`: two players, paired openings, the Elo difference with its interval."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.console import LARGEST_SEED, LiveLine, reading_input, whole

if TYPE_CHECKING:
    from selfmate.arena.match import MatchReport
    from selfmate.arena.match_run import MatchRun


LOGS = Path("runs/matches")


def live_line(run: "MatchRun") -> LiveLine:
    """Score, Elo and time left; to be updated after every game."""
    already, total = len(run.log.games), run.settings.games

    def line(seconds: float) -> str:
        done, report = len(run.log.games), run.report()
        rate = (done - already) / seconds
        left = f"{(total - done) / rate:.0f} s left" if rate else ""
        return (
            f"{done}/{total}  {report.wins}-{report.draws}-{report.losses}  "
            f"{report.score:.1%}  Elo {report.elo_text()}  {rate:.1f} games/s  {left}"
        )

    return LiveLine(line)


def print_report(run: "MatchRun", seconds: float) -> None:
    """The table at the end of a match."""
    from rich.console import Console
    from rich.table import Table

    report = run.report()
    names = [player.name for player in run.players]
    table = Table(title=f"{names[0]} against {names[1]}", title_justify="left", show_header=False)
    for label, value in _rows(report, seconds):
        table.add_row(label, value)
    Console(highlight=False).print(table)


def _rows(report: "MatchReport", seconds: float) -> list[tuple[str, str]]:
    limit = f", {report.ply_limit_games} of them at the ply limit" if report.ply_limit_games else ""
    rows = [
        ("won, drawn, lost", f"{report.wins}, {report.draws}{limit}, {report.losses}"),
        ("score", f"{report.score:.1%}"),
        ("Elo, 95 % interval", report.elo_text()),
        ("likelihood of superiority", f"{report.los:.1%}"),
        ("pairs 0, ½, 1, 1½, 2", ", ".join(str(count) for count in report.pentanomial)),
        ("distinct games", f"{report.distinct_games} of {report.games}"),
        ("mean length", f"{report.mean_plies:.0f} plies"),
        ("ended by", ", ".join(f"{why} {n}" for why, n in report.ends.items())),
        ("forfeits", _forfeits(report)),
        ("time", f"{seconds:.1f} s"),
    ]
    if report.sprt is not None:
        rows.append(("SPRT", report.sprt.sentence()))
    return rows


def _forfeits(report: "MatchReport") -> str:
    reasons = ", ".join(f"{reason} {count}" for reason, count in report.forfeit_reasons.items())
    return f"{report.forfeits} ({reasons})" if reasons else "none"


def match(
    a: Annotated[str, typer.Argument(metavar="A", help="A player: teacher:depth=2, runs/dqn-1.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Its opponent; results are from A's side.")],
    games: Annotated[
        int,
        typer.Option(
            parser=whole(2, 10**6), metavar="N", help="Games; an odd number is made even."
        ),
    ] = 100,
    openings: Annotated[
        Path | None,
        typer.Option(help="EPD, FEN or PGN file.", show_default="500 lines of our own"),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="E0,E1[,ALPHA,BETA]",
            help="Stop when the test accepts one of two Elo hypotheses.",
        ),
    ] = None,
    pgn: Annotated[Path | None, typer.Option(help="Write all games to this file.")] = None,
    seed: Annotated[
        int, typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same games.")
    ] = 1,
    max_plies: Annotated[
        int,
        typer.Option(
            parser=whole(1, 10**5),
            metavar="N",
            help="Longer games are draws; plies after the opening.",
        ),
    ] = 400,
    adjudicate: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, 99),
            metavar="PAWNS",
            help="End games when one side leads by so much for six plies.",
        ),
    ] = None,
    log: Annotated[Path, typer.Option(metavar="DIR", help="Where games are logged.")] = LOGS,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the same match.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Play each opening twice with colours swapped; Elo with a 95 % interval.

    Games are logged under runs/matches as they end, where `selfmate lab` follows
    them. --resume continues the same match (players, seed, openings) where it
    stopped, also with more games.
    """
    from selfmate.arena.match_run import MatchRun, MatchSettings
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
        _check_folder(pgn)
        run = MatchRun((load_player(a), load_player(b)), settings, log, resume)
    if run.log.notice is not None:
        typer.echo(run.log.notice, err=True)
    seconds = _play(run)
    if run.stopped:
        typer.echo("the match was asked to stop; --resume continues it", err=True)
    if pgn is not None:
        _write_games(run, pgn)
    if as_json:
        print(json.dumps(run.report().as_dict() | {"seconds": seconds}))
    else:
        print_report(run, seconds)


def _check_folder(pgn: Path | None) -> None:
    if pgn is not None and not pgn.parent.is_dir():
        raise ValueError(f"there is no folder {pgn.parent} for --pgn {pgn}")


def _play(run: "MatchRun") -> float:
    """Plays the games that are missing; returns the seconds they took."""
    started = time.perf_counter()
    try:
        with live_line(run) as view:
            run.play(on_game=view.update)
    finally:
        for player in run.players:
            player.close()
    return time.perf_counter() - started


def _write_games(run: "MatchRun", path: Path) -> None:
    from selfmate.arena.match import write_match_pgn

    names = (run.players[0].name, run.players[1].name)
    today = datetime.now(UTC).strftime("%Y.%m.%d")
    with path.open("w", encoding="utf-8") as file:
        write_match_pgn(run.games(), names, file, date=today, seed=run.settings.seed)
