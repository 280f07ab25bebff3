"""`selfmate conversion`: whether a player wins won endgames."""

import json
from collections.abc import Generator
from contextlib import ExitStack, closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.console import (
    LARGEST_SEED,
    LiveLine,
    reading_input,
    short_number,
    time_left_after,
    whole,
)
from selfmate.cli.stopping import StopListener, same_command

if TYPE_CHECKING:
    from selfmate.arena.endgames import Conversion
    from selfmate.players import Player

MAX_GAMES = 100_000
TITLES = {"queen": "queen", "rook": "rook", "bishops": "two bishops"}


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

    The player has king and queen, king and rook, or king and two bishops against
    a king that resists as long as possible.
    """
    from selfmate.players import load_player

    with ExitStack() as stack:
        with LiveLine(lambda _: f"loading {', '.join(players)} ..."), reading_input():
            contestants = [stack.enter_context(closing(load_player(name))) for name in players]
        for contestant in contestants:
            _Session(contestant, games, seed, as_json).play()


class _Session:
    """The games of one player, reported however they end."""

    def __init__(self, player: "Player", games: int, seed: int, as_json: bool) -> None:
        self._player, self._games, self._seed, self._as_json = player, games, seed, as_json
        self._found: dict[str, Conversion] = {}  # by piece

    def play(self) -> None:
        with (
            LiveLine(self._line) as view,
            StopListener(view, self._report_so_far) as stop,
            closing(self._rounds()) as rounds,
        ):
            for found in rounds:
                if stop.is_set():
                    break
                self._found[found.piece] = found
                view.update()
            stop.end()
        self._report()

    def _rounds(self) -> "Generator[Conversion]":
        from selfmate.arena.endgames import convert_in_rounds
        from selfmate.searches.endgame_tables import PIECES

        for piece in PIECES:
            yield from convert_in_rounds(self._player, piece, games=self._games, seed=self._seed)

    def _line(self, seconds: float) -> str:
        from selfmate.searches.endgame_tables import PIECES

        found = self._found.values()
        done, total = sum(one.games for one in found), self._games * len(PIECES)
        title = f"{self._player.name}  {done:,}/{total:,} games"
        if not done:
            return title
        won = ", ".join(f"{one.share:.0%} with {one.piece}" for one in found)
        left = time_left_after(done, total, seconds)
        return f"{title}  won {won}  {short_number(done / seconds)} games/s  {left}"

    def _report_so_far(self) -> None:
        self._report()
        typer.echo(
            "stopped: only games that were over count, and quick ones end first; nothing is kept, "
            f"so all games are played again by: {same_command()}",
            err=True,
        )

    def _report(self) -> None:
        found = list(self._found.values())
        if self._as_json:
            rows = {one.piece: asdict(one) for one in found}
            print(json.dumps({"player": self._player.name, **rows}), flush=True)
        else:
            _print_table(self._player.name, found)


def _print_table(player: str, found: "list[Conversion]") -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=player, title_justify="left")
    for name in ("endgame", "won", "mean moves", "optimal moves"):
        table.add_column(name, justify="left" if name == "endgame" else "right")
    for one in found:
        table.add_row(
            f"king and {TITLES[one.piece]}",
            f"{one.converted:,} of {one.games:,}",
            "-" if one.moves is None else f"{one.moves:.1f}",
            "-" if one.exact_moves is None else f"{one.exact_moves:.1f}",
        )
    Console(highlight=False, markup=False).print(table)
