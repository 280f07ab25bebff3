"""`selfmate conversion`: whether a player wins won endgames."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.console import LARGEST_SEED, progress, reading_input, whole

if TYPE_CHECKING:
    from selfmate.arena.endgames import Conversion

MAX_GAMES = 100_000


def conversion(
    players: Annotated[
        list[str], typer.Argument(metavar="PLAYER...", help="As in `selfmate match`.")
    ],
    games: Annotated[
        int,
        typer.Option(parser=whole(1, MAX_GAMES), metavar="N", help="Games per endgame and player."),
    ] = 100,
    seed: Annotated[
        int, typer.Option(parser=whole(0, LARGEST_SEED), metavar="N", help="Same seed, same games.")
    ] = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per player.")
    ] = False,
) -> None:
    """Play out won endgames and compare with the exact distance to mate.

    The player has king and queen, or king and rook, against a king that resists
    as long as possible.
    """
    from selfmate.arena.endgames import PIECES, convert
    from selfmate.players import load_player

    with reading_input():
        contestants = [load_player(player) for player in players]
    try:
        for contestant in contestants:
            with progress(f"{contestant.name} playing", games * len(PIECES), "games") as bar:
                found = [
                    convert(contestant, piece, games=games, seed=seed, on_finished=bar.advance)
                    for piece in PIECES
                ]
            if as_json:
                rows = {one.piece: asdict(one) for one in found}
                print(json.dumps({"player": contestant.name, **rows}))
            else:
                _print_table(contestant.name, found)
    finally:
        for contestant in contestants:
            contestant.close()


def _print_table(player: str, found: "list[Conversion]") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=player, title_justify="left")
    for name in ("endgame", "won", "mean moves", "optimal moves"):
        table.add_column(name, justify="left" if name == "endgame" else "right")
    for one in found:
        table.add_row(
            f"king and {one.piece}",
            f"{one.converted:,} of {one.games:,}",
            "-" if one.moves is None else f"{one.moves:.1f}",
            "-" if one.exact_moves is None else f"{one.exact_moves:.1f}",
        )
    Console(highlight=False).print(table)
