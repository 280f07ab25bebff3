"""`selfmate rate`: players placed on the ladder."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfmate.cli.cluster import Cluster, optional_pool
from selfmate.cli.console import (
    LARGEST_SEED,
    Actors,
    JobFailedError,
    LiveLine,
    RayAddress,
    escape,
    reading_input,
    sentence_of,
    time_left_after,
    whole,
)
from selfmate.cli.stopping import StopListener, same_command
from selfmate.players import MAX_MOVETIME_MS

if TYPE_CHECKING:
    from selfmate.arena.ladder import Ladder, PairingPlan
    from selfmate.arena.match import RunningGame
    from selfmate.arena.match_run import MatchSession
    from selfmate.arena.rating import Rating
    from selfmate.cluster.pool import RayPool

CONTINUES = "the pool keeps whole pairings, and the rest is played by:"


def rate(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PLAYER]...", help="As for `selfmate match`. Default: only show the ladder."
        ),
    ] = None,
    games: Annotated[
        int, typer.Option(parser=whole(2, 10**5), metavar="N", help="Games of each player in all.")
    ] = 200,
    movetime: Annotated[
        int | None,
        typer.Option(
            parser=whole(1, MAX_MOVETIME_MS),
            metavar="MS",
            help="Milliseconds a move, for players that can use time.",
        ),
    ] = None,
    pool: Annotated[Path, typer.Option(help="The file of all results.")] = Path("runs/pool.jsonl"),
    seed: Annotated[
        int,
        typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same games."),
    ] = 1,
    ray: RayAddress = None,
    actors: Actors = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Place players on the ladder, whose zero and unit are those of Stockfish's skill levels.

    Opponents are chosen near the player's strength as it becomes known: teachers
    that are built in and, from about 1000, Stockfish's levels if it is installed.

    The pool file keeps all results; only missing games are played.
    """
    from selfmate.arena.ladder import Ladder

    cluster = Cluster.of(ray, actors)
    if games % 2:
        typer.echo(f"{games} games become {games + 1}: each opening is played twice", err=True)
    with LiveLine(lambda _: "loading the ladder and the players ..."), reading_input():
        ladder = Ladder(pool, seed)
        names = [_full_name(text, movetime) for text in players or ()]
        held = ladder.pool.hold()
    if (text := ladder.pool.left_out_text()) is not None:
        typer.echo(text, err=True)

    def report() -> None:
        if as_json:
            print(json.dumps(_report(ladder)), flush=True)
            return
        _print_table(ladder, names)
        for name in names:
            _print_rating(name, ladder.rating(name), not ladder.has_stockfish)

    with held, optional_pool(cluster) as workers:
        _play(ladder, names, games + games % 2, report, workers)
    report()


def _play(
    ladder: "Ladder",
    names: list[str],
    games: int,
    report: Callable[[], None],
    workers: "RayPool | None",
) -> None:
    """Plays the missing games of all players; `report` shows what the pool says by then."""
    from selfmate.arena.match import PlayerDidNotStartError
    from selfmate.arena.match_run import MatchSession, StopRequestedError
    from selfmate.runs import RunFailedError

    def report_so_far() -> None:
        report()
        typer.echo(f"stopped; {CONTINUES} {same_command()}", err=True)

    with LiveLine() as view, StopListener(view, report_so_far) as stop:
        session = MatchSession(ladder.pool.path, stop.is_set)
        try:
            for name in names:
                _Session(ladder, name, games, workers).play(session, view)
        except RunFailedError as error:
            raise JobFailedError(f"{error}; the pool keeps whole pairings") from error
        except StopRequestedError:
            stop.end()
            raise JobFailedError("stopped from outside; the pool keeps whole pairings") from None
        except PlayerDidNotStartError as error:
            raise JobFailedError(f"{error}; no result was added to the pool") from error
        except OSError as error:
            view.close()
            report()
            raise JobFailedError(
                f"the pool cannot be written: {sentence_of(error)}; the ratings above count the "
                f"last games, which will be played again by: {same_command()}"
            ) from error
        finally:
            session.finish({})


def _full_name(text: str, movetime: int | None) -> str:
    """The full name of a player, which is loaded once to see that it can be."""
    from selfmate.players import load_player, with_movetime

    player = load_player(text if movetime is None else with_movetime(text, movetime))
    player.close()
    return player.name


class _Session:
    """One player's games until it has played enough, shown in a line that changes."""

    def __init__(
        self, ladder: "Ladder", name: str, games: int, workers: "RayPool | None" = None
    ) -> None:
        self._ladder, self._name, self._games, self._workers = ladder, name, games, workers
        self._before = self._done = ladder.games_of(name)
        self._opponent, self._known, self._ply = "", "", 0

    def play(self, session: "MatchSession", view: LiveLine) -> None:
        view.follow(self._line)
        while (plan := self._ladder.next_plan(self._name, self._games)) is not None:
            rating = self._ladder.rating(self._name)
            self._opponent, self._known = plan.opponent, rating.text() if rating else ""
            self._play(plan, session, view)

    def _play(self, plan: "PairingPlan", session: "MatchSession", view: LiveLine) -> None:
        from selfmate.runs import RunRefusedError

        def count() -> None:
            self._done += 1
            session.update(self._progress)

        def watch(game: "RunningGame | None") -> None:
            self._ply = len(game.board.moves) if game else 0
            view.update()
            session.update(self._progress)

        try:
            games = self._ladder.play(plan, count, watch, self._workers)
        except RunRefusedError as error:  # the checkpoint existed at the start
            raise JobFailedError(
                f"{error}; a run that keeps training deletes old checkpoints; the pool keeps "
                "the games that were played"
            ) from error
        forfeits = Counter(game.reason for game in games if game.forfeit)
        if forfeits:
            reasons = ", ".join(f"{reason} {count}" for reason, count in forfeits.items())
            typer.echo(
                f"{plan.player} against {plan.opponent}: games were forfeited and count as lost: "
                f"{reasons}",
                err=True,
            )

    def _line(self, seconds: float) -> str:
        played = self._done - self._before
        pace = f"longest running game at ply {self._ply}" if self._ply else ""
        if played:
            left = time_left_after(played, self._games - self._before, seconds)
            pace = f"{played / seconds:.2g} games/s  {left}"
        known = f"{self._known}  " if self._known else ""
        workers = f"  {self._workers.text()}" if self._workers else ""
        return (
            f"{self._name}  {self._done}/{self._games} games  {known}"
            f"now against {self._opponent or '...'}  {pace}{workers}"
        )

    def _progress(self) -> dict[str, Any]:
        """For the lab."""
        return {
            "player": self._name,
            "opponent": self._opponent,
            "games": self._games,
            "done": self._done,
            "known": self._known,
        }


def _report(ladder: "Ladder") -> dict[str, Any]:
    from selfmate.arena.rating import SCALE

    ratings = {name: asdict(rating) for name, rating in ladder.ratings().items()}
    return {"scale": SCALE, "ratings": ratings}


def _print_table(ladder: "Ladder", asked: list[str]) -> None:
    from rich.console import Console
    from rich.table import Table

    from selfmate.arena.rating import SCALE

    table = Table(title="The ladder", title_justify="left", caption=SCALE, caption_justify="left")
    table.add_column("player", no_wrap=True)
    for column in ("Elo", "95 % interval", "games"):
        table.add_column(column, justify="right")
    for name, rating in ladder.ratings().items():
        interval = f"{_bound(rating.low)} to {_bound(rating.high)}"
        style = "bold cyan" if name in asked else "dim" if name in ladder.ruler.names else None
        table.add_row(escape(name), f"{rating.elo:.0f}", interval, str(rating.games), style=style)
    Console(highlight=False).print(table)


def _bound(elo: float | None) -> str:
    return "?" if elo is None else f"{elo:.0f}"


def _print_rating(name: str, rating: "Rating | None", stockfish_helps: bool) -> None:
    """The rating in words, how good it is, and what more games would bring."""
    if rating is None:
        return
    print(f"{name}: {rating.full_text()}")
    if rating.high is None:
        install = "; with Stockfish installed there are stronger ones" if stockfish_helps else ""
        print(f"It won every game: its opponents were too weak for an upper bound{install}.")
    elif rating.low is None:
        print("It lost every game: no opponent is weak enough for a lower bound.")
    elif rating.misfit > 1:
        print(
            "Its results fit one rating badly, as of a player that draws with weaker ones; "
            "the interval is wider for it."
        )
    if (more := rating.margin_after(2 * rating.games)) is not None and rating.games:
        print(
            f"{rating.games} more games would make that about \N{PLUS-MINUS SIGN}{more:.0f}; "
            f"\N{PLUS-MINUS SIGN}{rating.ruler_margin:.0f} is the ladder's own error."
        )
