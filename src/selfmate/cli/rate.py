"""`selfmate rate`: players rated against a ladder of opponents."""

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfmate.cli.console import LARGEST_SEED, JobFailedError, progress, reading_input, whole

if TYPE_CHECKING:
    from selfmate.arena.ladder import Ladder, PairingPlan
    from selfmate.arena.match_run import MatchSession
    from selfmate.arena.rating import Rating


def rate(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PLAYER]...", help="As for `selfmate match`. Default: the ladder itself."
        ),
    ] = None,
    games: Annotated[
        int, typer.Option(parser=whole(2, 10**5), metavar="N", help="Games against each opponent.")
    ] = 100,
    pool: Annotated[Path, typer.Option(help="The file of all results.")] = Path("runs/pool.jsonl"),
    seed: Annotated[
        int,
        typer.Option(
            parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same order of openings."
        ),
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Rate players against a ladder of opponents.

    The random player is zero; Stockfish's levels relate the ladder to known
    ratings.

    The pool file keeps all results; only missing games are played.
    """
    from selfmate.arena.ladder import Ladder
    from selfmate.arena.match_run import MatchSession, StopRequestedError
    from selfmate.players import load_player

    with reading_input():
        ladder = Ladder(pool, games, seed)
        names = []
        for text in players or ():
            player = load_player(text)
            names.append(player.name)
            player.close()
        held = ladder.pool.hold()
    with held:
        session = MatchSession(pool)
        try:
            for plan in ladder.rung_plans():
                _play(ladder, plan, session)
            for name in names:
                for plan in ladder.player_plans(name):
                    _play(ladder, plan, session)
        except StopRequestedError:
            raise JobFailedError("stopped from outside; the pool keeps whole pairings") from None
        finally:
            session.finish({})
    if as_json:
        print(json.dumps(_report(ladder)))
    else:
        _print_table(ladder, names)


def _play(ladder: "Ladder", plan: "PairingPlan", session: "MatchSession") -> None:
    from selfmate.runs import RunRefusedError

    title = f"{plan.player} against {plan.opponent}"
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        bar.advance(1)

    try:
        with progress(title, plan.games, "games") as bar:
            games = ladder.play(
                plan, count, lambda _: session.update(lambda: asdict(plan) | {"done": done})
            )
    except RunRefusedError as error:  # the checkpoint existed at the start
        raise JobFailedError(
            f"{error}; a run that keeps training deletes old checkpoints; the pool keeps "
            "the games that were played"
        ) from error
    forfeits = Counter(game.reason for game in games if game.forfeit)
    if forfeits:
        reasons = ", ".join(f"{reason} {count}" for reason, count in forfeits.items())
        typer.echo(f"{title}: games were forfeited and count as lost: {reasons}", err=True)


def _report(ladder: "Ladder") -> dict[str, Any]:
    tied = ladder.tied_ratings()
    return {
        "zero": "random",
        "ratings": {name: asdict(rating) for name, rating in _sorted(ladder.ratings())},
        "stockfish_scale": tied and {name: asdict(rating) for name, rating in _sorted(tied)},
    }


def _sorted(ratings: "dict[str, Rating]") -> "list[tuple[str, Rating]]":
    return sorted(ratings.items(), key=lambda item: -item[1].elo)


def _print_table(ladder: "Ladder", asked: list[str]) -> None:
    from rich.console import Console
    from rich.table import Table

    tied = ladder.tied_ratings()
    table = Table(title="The ladder", title_justify="left")
    table.add_column("player", no_wrap=True)
    for column in ("Elo", "95 % interval", "games", "Stockfish"):
        table.add_column(column, justify="right")
    for name, rating in _sorted(ladder.ratings()):
        shown = f"{tied[name].elo:+.0f}" if tied else "-"
        interval = f"{_bound(rating.low)} .. {_bound(rating.high)}"
        style = "bold cyan" if name in asked else None
        table.add_row(name, f"{rating.elo:+.0f}", interval, str(rating.games), shown, style=style)
    console = Console(highlight=False)
    console.print(table)
    if tied:
        console.print(
            "Elo: random is zero. Stockfish: the same, shifted to fit the ratings of its levels."
        )


def _bound(elo: float | None) -> str:
    return "?" if elo is None else f"{elo:+.0f}"
