"""`selfmate uci`: a UCI engine. Without options, `selfmate.__main__` starts it directly."""

from typing import Annotated

import typer

from selfmate.cli.console import LARGEST_SEED, BadInputError, reading_input, whole
from selfmate.uci import DEFAULT_PLAYER


def uci(
    player: Annotated[
        str,
        typer.Argument(
            metavar="[PLAYER]",
            help="NAME or NAME:key=value,key=value; the NAME of a run is its directory.",
        ),
    ] = DEFAULT_PLAYER,
    seed: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, LARGEST_SEED),
            metavar="N",
            help="Same seed, same random choices.",
            show_default="different each time",
        ),
    ] = None,
) -> None:
    """Run a player as a UCI engine on standard input and output, for chess programs.

    Loading begins after `uciok`; `isready` and `go` wait for it. What a player
    supports becomes an option: Hash, Threads, UCI_ShowWDL, UCI_LimitStrength and
    UCI_Elo, Temperature, SyzygyPath. docs/how-to/use-in-a-gui.md has all of them,
    and what the words of `go` mean.
    """
    from selfmate.uci.engine import NoPlayerError
    from selfmate.uci.process import play

    try:
        with reading_input():
            play(player, seed)
    except NoPlayerError as error:
        raise BadInputError(str(error)) from error
