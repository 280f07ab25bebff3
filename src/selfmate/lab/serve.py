"""The lab's server as a process: a port, a link, and an end in good order."""

import contextlib
import errno
import ipaddress
import logging
import os
import socket
import threading
import time
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

import uvicorn
from anyio import move_on_after, to_thread

from selfmate.lab.app import LabSettings, make_app
from selfmate.lab.socket import MOST_MESSAGE_BYTES
from selfmate.lab.static import is_built, page_folder

PATIENCE_S = 1  # for requests at the end, and half of it for threads
MOST_CONNECTIONS = 200


def listen(host: str, port: int) -> socket.socket:
    """ValueError says why it cannot be done."""
    try:
        listening = _bound(host, port)
    except (OSError, TypeError) as error:  # TypeError: no name at all
        raise ValueError(f"the lab cannot listen on {host} port {port}: {_why(error)}") from error
    if _address(listening).is_unspecified:
        listening.close()
        raise ValueError("--host is one address of this machine, not all of them")
    return listening


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends at once only where it sees TCP by name; else answers wait 40 ms for a receipt.
    listening = socket.socket(family, proto=socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
    except BaseException:
        listening.close()
        raise
    return listening


def is_loopback(listening: socket.socket) -> bool:
    return _address(listening).is_loopback


def _address(listening: socket.socket) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(listening.getsockname()[0])


def _why(error: OSError | TypeError) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return "something listens there, maybe another lab; --port takes another, 0 any"
    return getattr(error, "strerror", None) or "this is no address"


def runs_path(path: Path) -> Path:
    """ValueError when it cannot be a folder of runs; it need not be there yet."""
    there = next(one for one in (path, *path.absolute().parents) if one.exists())
    if not there.is_dir() or not os.access(there, os.R_OK | os.X_OK):
        raise ValueError(f"--runs {path} cannot be: {there} is no folder that can be read")
    return path


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
    closing = ExitStack()
    config = uvicorn.Config(
        make_app(settings, closing),
        http="h11",
        ws="websockets-sansio",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        ws_max_size=MOST_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=PATIENCE_S,
        limit_concurrency=MOST_CONNECTIONS,
    )
    _Server(config, ready, closing).run(sockets=[listening])
    _leave()


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], closing: ExitStack
    ) -> None:
        super().__init__(config)
        self._ready, self._closing = ready, closing

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # A thread for everybody: who waits for a slow player must not hold up the others.
        to_thread.current_default_thread_limiter().total_tokens = MOST_CONNECTIONS
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # to be cut off is no error
        with move_on_after(PATIENCE_S):  # a player may be deaf; requests may wait for the others
            await to_thread.run_sync(self._closing.close, abandon_on_cancel=True)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Both signals mean a good end; the second of them, a quick one."""
        self.force_exit = self.should_exit
        self.should_exit = True


def _leave() -> None:
    """Threads that are deep in thought, maybe inside the core, are not waited for: they must not
    meet the end of the interpreter either."""
    due = time.monotonic() + PATIENCE_S / 2
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join(max(0, due - time.monotonic()))
            if thread.is_alive():
                os._exit(0)


def open_browser(address: str) -> None:
    """Where there is one; the link was printed anyway. Some browsers are not left before they are
    closed, so it is not waited for."""

    def opening() -> None:
        with contextlib.suppress(webbrowser.Error, OSError):
            webbrowser.open(address)

    threading.Thread(target=opening, daemon=True).start()
