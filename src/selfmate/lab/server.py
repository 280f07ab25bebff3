"""The lab's server as a process: its port, its link, and an orderly shutdown."""

import asyncio
import contextlib
import errno
import ipaddress
import logging
import os
import socket
import ssl
import threading
import time
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

import uvicorn
from anyio import move_on_after, to_thread
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from selfmate.lab.access import Scheme
from selfmate.lab.app import Certificate, LabSettings, is_built, make_app, page_folder
from selfmate.lab.topics import MAX_MESSAGE_BYTES

SHUTDOWN_SECONDS = 1  # for open requests, and half of it for threads
MAX_CONNECTIONS = 200
# Connections without a request: how many there may be, and for how long. The others are left for
# requests, which are answered at once without the token and therefore do not pile up.
MAX_WAITING = 100
REQUEST_SECONDS = 10


def listen(host: str, port: int) -> socket.socket:
    """ValueError says why the port cannot be used."""
    try:
        listening = _bound(host, port)
    except (OSError, TypeError) as error:  # TypeError: the host is not even a name
        raise ValueError(
            f"the lab cannot listen on {host} port {port}: {_reason(error)}"
        ) from error
    if _address(listening).is_unspecified:
        listening.close()
        raise ValueError("--host is one address of this machine, not all of them")
    return listening


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only for an explicit TCP; else answers wait 40 ms.
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


def _reason(error: OSError | TypeError) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return "the port is in use, maybe by another lab; choose another --port, or 0 for any"
    return getattr(error, "strerror", None) or "this is not an address"


def check_reach(host: str, *, allow_remote: bool) -> None:
    """ValueError for an address that other machines can reach, unless that is wanted. What is no
    address at all is left to `listen`."""
    if not allow_remote and not _is_local(host):
        raise ValueError(
            f"--host {host} would open the lab to other machines: add --allow-remote if you want "
            "that, and read docs/lab.md, From another machine"
        )


def _is_local(host: str) -> bool:
    try:
        found = socket.getaddrinfo(host or "0.0.0.0", None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return True
    addresses = [ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found]
    return all(one.is_loopback or one.is_unspecified for one in addresses)


def checked_certificate(cert: Path | None, key: Path | None) -> Certificate | None:
    """ValueError when one of both is missing, or they cannot be used."""
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        raise ValueError("--cert and --key belong together: give both, or neither")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key)
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise ValueError(f"--cert {cert} with --key {key} cannot be used: {reason}") from error
    return Certificate(cert, key)


def runs_path(path: Path) -> Path:
    """ValueError when it cannot be a folder of runs; it need not exist yet."""
    nearest = next(one for one in (path, *path.absolute().parents) if one.exists())
    if not nearest.is_dir() or not os.access(nearest, os.R_OK | os.X_OK):
        raise ValueError(
            f"--runs {path} cannot be used: {nearest} is not a folder that can be read"
        )
    return path


def built_page() -> Path:
    folder = page_folder()
    if not is_built(folder):
        raise ValueError(
            "the page is not built: install Node.js (20 or newer), then install Selfmate again"
        )
    return folder


def link(settings: LabSettings) -> str:
    return f"{_page_address(settings)}?token={settings.token}"


def one_time_link(settings: LabSettings) -> str:
    """For the command line of a browser; it gives the token away to nobody who reads it later."""
    return f"{_page_address(settings)}?once={settings.one_time.new()}"


def _page_address(settings: LabSettings) -> str:
    return address(settings.host, settings.port, settings.scheme)


def address(host: str, port: int, scheme: Scheme = "http") -> str:
    return f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/"


def serve(settings: LabSettings, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Until Ctrl-C or SIGTERM. `ready` is called when requests are answered."""
    closing = ExitStack()
    serve_app(make_app(settings, closing), listening, ready, closing, settings.certificate)


def serve_app(
    app: ASGIApp,
    listening: socket.socket,
    ready: Callable[[], None],
    closing: ExitStack,
    certificate: Certificate | None = None,
) -> None:
    _Server(server_config(app, certificate), ready, closing).run(sockets=[listening])
    _exit_without_threads()


def server_config(app: ASGIApp, certificate: Certificate | None = None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=_Connection,
        ws="websockets-sansio",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        limit_concurrency=MAX_CONNECTIONS,
        ssl_certfile=None if certificate is None else certificate.cert,
        ssl_keyfile=None if certificate is None else str(certificate.key),
    )


class _Connection(H11Protocol):
    """Is closed when it waits too long for a request, or longest of too many that wait: those who
    say nothing keep nobody out. A connection that was answered waits for the next request."""

    _waiting_since: float | None = None  # None: it has a request, or became a WebSocket
    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._has_request() or self not in self.connections:
            self._end_waiting()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._has_request():  # the next one may have come meanwhile
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_waiting()
        super().connection_lost(exc)

    def _has_request(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self._end_waiting()
        self._waiting_since = self.loop.time()
        self._limit = self.loop.call_later(REQUEST_SECONDS, self._leave)
        waiting = {
            one: one._waiting_since
            for one in self.connections
            if isinstance(one, _Connection) and one._waiting_since is not None
        }
        if len(waiting) > MAX_WAITING:
            min(waiting, key=waiting.__getitem__)._leave()

    def _leave(self) -> None:
        self._end_waiting()
        self.connections.discard(self)  # at once: the others are counted before it has closed
        self.transport.close()

    def _end_waiting(self) -> None:
        self._waiting_since = None
        if self._limit is not None:
            self._limit.cancel()


class _Server(uvicorn.Server):
    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], closing: ExitStack
    ) -> None:
        super().__init__(config)
        self._ready, self._closing = ready, closing

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # A thread for each request: one that waits for a slow player must not hold up the others.
        to_thread.current_default_thread_limiter().total_tokens = MAX_CONNECTIONS
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        logging.getLogger("uvicorn.error").setLevel(
            logging.CRITICAL
        )  # a closed connection is no error here
        with move_on_after(SHUTDOWN_SECONDS):  # a player may not stop; requests may be waiting
            await to_thread.run_sync(self._closing.close, abandon_on_cancel=True)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal shuts down in good order, the second at once."""
        self.force_exit = self.should_exit
        self.should_exit = True


def _exit_without_threads() -> None:
    """Threads that are still searching, maybe inside the core, are not waited for. They must not
    outlive the interpreter either, so the process exits at once."""
    due = time.monotonic() + SHUTDOWN_SECONDS / 2
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join(max(0, due - time.monotonic()))
            if thread.is_alive():
                os._exit(0)


def open_browser(link: str) -> None:
    """Where there is a browser; the link was printed anyway. Some browser commands return only when
    the browser is closed, so this does not wait."""

    def open_link() -> None:
        with contextlib.suppress(webbrowser.Error, OSError):
            webbrowser.open(link)

    threading.Thread(target=open_link, daemon=True).start()
