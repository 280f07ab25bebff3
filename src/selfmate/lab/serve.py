"""The lab's server as a process: a port, a link, and an end in good order."""

import contextlib
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from selfmate.lab.app import LabSettings, make_app
from selfmate.lab.socket import MOST_MESSAGE_BYTES
from selfmate.lab.static import is_built, page_folder

WILDCARDS = ("", "0.0.0.0", "::")


def listen(host: str, port: int) -> socket.socket:
    """ValueError says why it cannot be done."""
    if host in WILDCARDS:
        raise ValueError("--host is one address of this machine, not all of them")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise ValueError(
            f"the lab cannot listen on {host} port {port}: {error.strerror}; is one running "
            "already? --port takes another, 0 any that is free"
        ) from error
    return listening


def built_page() -> Path:
    folder = page_folder()
    if not is_built(folder):
        raise ValueError(
            "the page is not built: install Node.js (20 or newer), then install Selfmate again"
        )
    return folder


def link(settings: LabSettings) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{settings.port}/?token={settings.token}"


def serve(settings: LabSettings, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Until Ctrl-C or SIGTERM. `ready` is called when requests are answered."""
    config = uvicorn.Config(
        make_app(settings),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws_max_size=MOST_MESSAGE_BYTES,
        timeout_graceful_shutdown=2,
        limit_concurrency=200,
    )
    _Server(config, ready).run(sockets=[listening])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def open_browser(address: str) -> None:
    """Where there is one; the link was printed anyway."""
    with contextlib.suppress(webbrowser.Error, OSError):
        webbrowser.open(address)
