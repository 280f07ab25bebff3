"""`selfmate match`: two players, paired openings, the Elo difference with its interval."""

import json
import stat
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.cluster import Cluster, optional_pool
from selfmate.cli.console import (
    LARGEST_SEED,
    Actors,
    JobFailedError,
    LiveLine,
    RayAddress,
    counted,
    printable,
    reading_input,
    sentence_of,
    time_left_after,
    whole,
)
from selfmate.cli.stopping import StopListener, same_command

if TYPE_CHECKING:
    from selfmate.arena.match import MatchReport
    from selfmate.arena.match_run import MatchRun
    from selfmate.cluster.pool import RayPool


LOGS = Path("runs/matches")


def progress_line(run: "MatchRun", pool: "RayPool | None" = None) -> Callable[[float], str]:
    """Score, Elo, time left, and what the workers of a cluster do, for a LiveLine."""
    already, total = len(run.log.games), run.settings.games

    def line(seconds: float) -> str:
        done, game = len(run.log.games), run.longest_running
        rate = (done - already) / seconds
        playing = f"  longest running game at ply {len(game.board.moves)}" if game else ""
        workers = f"  {pool.text()}" if pool else ""
        if not rate:
            return f"{done}/{total}  {score_text(run)}{playing}{workers}"
        left = time_left_after(done - already, total - already, seconds)
        return f"{done}/{total}  {score_text(run)}  {rate:.2g} games/s  {left}{workers}"

    return line


def score_text(run: "MatchRun") -> str:
    report = run.report()
    if not report.games:
        return "no game has ended yet"
    wins_draws_losses = f"{report.wins}-{report.draws}-{report.losses}"
    return f"{wins_draws_losses}  {report.score:.1%}  Elo {report.elo_text()}"


def print_report(run: "MatchRun", seconds: float) -> None:
    """The table at the end of a match."""
    from rich.console import Console
    from rich.table import Table

    report = run.report()
    names = [player.name for player in run.players]
    table = Table(title=f"{names[0]} against {names[1]}", title_justify="left", show_header=False)
    for label, value in _rows(report, seconds):
        table.add_row(label, value)
    Console(highlight=False, markup=False).print(table)


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
            parser=whole(2, 10**6), metavar="N", help="Games; an odd number becomes even."
        ),
    ] = 100,
    openings: Annotated[
        Path | None,
        typer.Option(help="EPD, FEN or PGN file.", show_default="500 lines of our own"),
    ] = None,
    chess960: Annotated[
        bool,
        typer.Option("--chess960", help="Start from random positions of Chess960."),
    ] = False,
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
    ray: RayAddress = None,
    actors: Actors = None,
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

    cluster = Cluster.of(ray, actors)
    if games % 2:
        typer.echo(f"{games} games become {games + 1}: each opening is played twice", err=True)
    with reading_input():
        settings = MatchSettings(
            games=games + games % 2,
            seed=seed,
            openings=openings,
            chess960=chess960,
            max_plies=max_plies,
            adjudicate_pawns=adjudicate,
            sprt=parse_sprt(sprt) if sprt else None,
        )
        if pgn is not None:
            _check_writable(pgn)
    with LiveLine(lambda _: f"loading {printable(a)} and {printable(b)} ...") as view:
        with reading_input():
            players = (load_player(a), load_player(b))
        # The pool comes first: without one, an earlier log of the match must stay as it is.
        with closing(players[0]), closing(players[1]), optional_pool(cluster) as pool:
            with reading_input():
                run = MatchRun(players, settings, log, resume)
            if run.log.notice is not None:
                typer.echo(run.log.notice, err=True)
            _Session(run, pgn, as_json, pool).play(view)


def _check_writable(path: Path) -> None:
    """Before the first game, because it would be a pity to learn it after the last."""
    if not path.parent.is_dir():
        raise ValueError(f"there is no folder {path.parent} for --pgn {path}")
    is_new = not path.exists()
    with path.open("ab") as file:
        size = file.tell() if stat.S_ISREG(path.stat().st_mode) else None
        file.write(b"\n")
        file.flush()
        if size is not None:
            file.truncate(size)
    if is_new:
        path.unlink()


class _Session:
    """Plays the games of a match that are missing, and reports them however it ends."""

    def __init__(
        self, run: "MatchRun", pgn: Path | None, as_json: bool, pool: "RayPool | None"
    ) -> None:
        self._run, self._pgn, self._as_json, self._pool = run, pgn, as_json, pool
        self._started = time.perf_counter()

    def play(self, view: LiveLine) -> None:
        from selfmate.arena.match import PlayerDidNotStartError
        from selfmate.players.player import UnsupportedVariantError
        from selfmate.runs import RunFailedError

        run = self._run
        view.follow(progress_line(run, self._pool))
        with StopListener(view, self._report_so_far) as stop:
            try:
                run.play(
                    on_game=view.update,
                    on_round=view.update,
                    should_stop=stop.is_set,
                    pool=self._pool,
                )
            except RunFailedError as error:
                raise JobFailedError(f"{error}; the match continues with: {_continue()}") from error
            except PlayerDidNotStartError as error:
                raise JobFailedError(f"{error}; this was no match, so there is no Elo") from error
            except UnsupportedVariantError as error:
                raise JobFailedError(str(error)) from error
            except OSError as error:
                view.close()
                self._report()
                raise JobFailedError(
                    f"the log cannot be written: {sentence_of(error)}; the games above count, but "
                    f"those that the log lacks will be played again by: {_continue()}"
                ) from error
            stop.end()
        self._report()
        if run.stopped:
            typer.echo(f"the match was asked to stop; it continues with: {_continue()}", err=True)

    def _report_so_far(self) -> None:
        if self._run.log.games:
            self._report()
        done = counted(len(self._run.log.games), "game")
        typer.echo(f"stopped after {done}; the match continues with: {_continue()}", err=True)

    def _report(self) -> None:
        seconds = time.perf_counter() - self._started
        if self._as_json:
            print(json.dumps(self._run.report().as_dict() | {"seconds": seconds}), flush=True)
        else:
            print_report(self._run, seconds)
        if self._pgn is not None:
            self._write_games(self._pgn)

    def _write_games(self, path: Path) -> None:
        from selfmate.arena.match import write_match_pgn

        run = self._run
        names = (run.players[0].name, run.players[1].name)
        today = datetime.now(UTC).strftime("%Y.%m.%d")
        try:
            with path.open("w", encoding="utf-8") as file:
                write_match_pgn(run.games(), names, file, date=today, seed=run.settings.seed)
        except OSError as error:
            raise JobFailedError(
                f"{path} cannot be written: {error.strerror}; the games are kept in "
                f"{run.log.path}, and this writes them: {_continue()}"
            ) from error


def _continue() -> str:
    return same_command("--resume")
