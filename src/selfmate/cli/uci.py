"""`selfmate uci`: a chess engine for GUIs. Without options `selfmate.__main__` goes around this."""

from typing import Annotated

import typer

from selfmate.cli.errors import BadInputError, reading_input
from selfmate.cli.numbers import LARGEST_SEED, whole
from selfmate.uci import DEFAULT_PLAYER


def uci(
    player: Annotated[
        str,
        typer.Argument(
            metavar="[PLAYER]",
            help="Who plays, as NAME or NAME:key=value,key=value; a run's name is its directory.",
        ),
    ] = DEFAULT_PLAYER,
    seed: Annotated[
        int | None,
        typer.Option(
            parser=whole(0, LARGEST_SEED),
            metavar="N",
            help="Same seed, same chance.",
            show_default="different each time",
        ),
    ] = None,
) -> None:
    """Be a UCI engine on standard input and output, for chess programs to play against."""
    from selfmate.uci.engine import NoPlayerError
    from selfmate.uci.process import play

    try:
        with reading_input():
            play(player, seed)
    except NoPlayerError as error:
        raise BadInputError(str(error)) from error
