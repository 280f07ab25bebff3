"""`selfmate lab`: the server of the page in the browser."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfmate.cli.console import reading_input, whole

if TYPE_CHECKING:
    from socket import socket

    from selfmate.lab.app import Certificate, LabSettings

DEFAULT_PORT = 8008


def lab(
    port: Annotated[
        int,
        typer.Option(
            parser=whole(0, 65535), metavar="P", help="The port to listen on; 0 takes any free one."
        ),
    ] = DEFAULT_PORT,
    host: Annotated[str, typer.Option(metavar="H", help="The address to listen on.")] = "127.0.0.1",
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    runs: Annotated[Path, typer.Option(metavar="DIR", help="The folder of all runs.")] = Path(
        "runs"
    ),
    data: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR",
            help="A folder of games that trainings may read; may be given more than once.",
        ),
    ] = None,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Let other machines reach the --host.")
    ] = False,
    cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A certificate for TLS, as PEM.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The private key of --cert, as PEM.")
    ] = None,
    new_token: Annotated[
        bool, typer.Option("--new-token", help="Make a new token: old links stop working.")
    ] = False,
    tab: Annotated[
        bool,
        typer.Option("--tab", help="Show Selfmate in a tab, which needs no lab, instead."),
    ] = False,
    static: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Show the page in a folder, such as `site`, instead."),
    ] = None,
) -> None:
    """Train, play, match and analyse in the browser.

    Open the link that it prints; the token in the link gives access, until
    --new-token. Ctrl-C closes the lab; runs keep training. Other machines reach
    it with --host ADDRESS and --allow-remote only, best with --cert and --key.

    --tab and --static show a page that works by itself: to this machine only,
    without a token, and without runs.
    """
    if tab or static is not None:
        _serve_static(static, host, port, browser)
        return
    from selfmate.lab.server import (
        check_reach,
        checked_certificate,
        is_loopback,
        link,
        one_time_link,
        open_browser,
        serve,
    )

    with reading_input():
        check_reach(host, allow_remote=allow_remote)
        certificate = checked_certificate(cert, key)
        settings, listening = _open(host, port, runs, tuple(data or ()), new_token, certificate)

    def greet() -> None:
        print(_greeting(is_loopback(listening), certificate is not None))
        print(link(settings), flush=True)
        if browser:
            open_browser(one_time_link(settings))

    serve(settings, listening, greet)


def _open(
    host: str,
    port: int,
    runs: Path,
    data: tuple[Path, ...],
    new_token: bool,
    certificate: "Certificate | None",
) -> "tuple[LabSettings, socket]":
    """Listens; ValueError or OSError if the page is not built or the address cannot be used."""
    from selfmate.lab.access import lasting_token, token_path
    from selfmate.lab.app import LabSettings
    from selfmate.lab.server import built_page, listen, runs_path

    page = built_page()
    for folder in data:
        if not folder.is_dir():
            raise ValueError(f"--data {folder} is not a folder")
    listening = listen(host, port)
    settings = LabSettings(
        runs=runs_path(runs),
        page=page,
        token=lasting_token(token_path(), new=new_token),
        host=host,
        port=listening.getsockname()[1],
        data=data,
        certificate=certificate,
    )
    return settings, listening


def _serve_static(folder: Path | None, host: str, port: int, browser: bool) -> None:
    """`folder` is None for Selfmate in a tab."""
    from contextlib import ExitStack

    from selfmate.lab.server import address, is_loopback, listen, open_browser, serve_app
    from selfmate.lab.static_site import readable, site_folder, static_app

    with reading_input():
        folder = site_folder() if folder is None else readable(folder)
        listening = listen(host, port)
        if not is_loopback(listening):
            listening.close()
            raise ValueError("--static and --tab are for this machine: --host is 127.0.0.1 or ::1")
    link = address(host, listening.getsockname()[1])

    def greet() -> None:
        print("The page is open, for this machine only. Ctrl-C closes it.")
        print(link, flush=True)
        if browser:
            open_browser(link)

    serve_app(static_app(folder, host), listening, greet, ExitStack())


def _greeting(this_machine: bool, encrypted: bool) -> str:
    closing = "Ctrl-C closes it; runs keep training."
    if this_machine:
        return f"The lab is open, for this machine only. {closing}"
    meaning = (
        "The lab is open to other machines: whoever has the link can train, play and read the runs "
        "in its folder."
    )
    if encrypted:
        return f"{meaning} The connection is encrypted. {closing}"
    return (
        f"{meaning} The connection is not encrypted: who can read the network can read the link. "
        f"Use --cert and --key, or a tunnel. {closing}"
    )
