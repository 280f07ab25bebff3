"""`selfmate lab`: the page in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from selfmate.cli.errors import reading_input
from selfmate.cli.numbers import whole

DEFAULT_PORT = 8008


def lab(
    port: Annotated[
        int, typer.Option(parser=whole(0, 65535), metavar="P", help="0 takes any that is free.")
    ] = DEFAULT_PORT,
    host: Annotated[
        str, typer.Option(metavar="H", help="An address of this machine to listen on.")
    ] = "127.0.0.1",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page at once.")
    ] = True,
    runs: Annotated[
        Path, typer.Option(metavar="DIR", help="Where runs are, and new ones go.")
    ] = Path("runs"),
    new_token: Annotated[bool, typer.Option("--new-token", help="Old links stop working.")] = False,
) -> None:
    """Train, play, match and analyse in the browser. Ctrl-C ends it; trainings go on.

    Open the link that it prints: the token in it is the key, and lasts until --new-token.
    """
    from selfmate.lab.app import LabSettings
    from selfmate.lab.serve import (
        built_page,
        is_loopback,
        link,
        listen,
        open_browser,
        runs_path,
        serve,
    )
    from selfmate.lab.token import lasting_token, token_path

    with reading_input():
        page = built_page()
        listening = listen(host, port)
        settings = LabSettings(
            runs=runs_path(runs),
            page=page,
            token=lasting_token(token_path(), new=new_token),
            host=host,
            port=listening.getsockname()[1],
        )

    def greet() -> None:
        print(_whom_for(is_loopback(listening)), "Ctrl-C closes it; trainings go on.")
        print(link(settings), flush=True)
        if browser:
            open_browser(link(settings))

    serve(settings, listening, greet)


def _whom_for(this_machine: bool) -> str:
    if this_machine:
        return "The lab is open, for this machine only."
    return "The lab is open, for all who have the link; what is sent can be read on the way."
