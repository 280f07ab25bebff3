"""Access to the lab. Every request, by HTTP or WebSocket, must name our host, come from our own
page or from no page at all, know the token, and have a bounded body.
"""

import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from selfmate.lab.errors import error_answer

TOKEN_BYTES = 24
TOKEN = re.compile(r"[A-Za-z0-9_-]{32}")  # 24 bytes in URL-safe base64
MAX_BODY_BYTES = 2**20
ONE_TIME_SECONDS = 30  # a browser may have to start first
COOKIE_SECONDS = 400 * 24 * 3600  # the longest that browsers keep one
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
Scheme = Literal["http", "https"]
NO_TOKEN = "this lab needs its token: open the link that `selfmate lab` printed"
NO_TOKEN_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Selfmate lab</title>
<h1>The lab is locked</h1>
<p>Its key is in the link that <code>selfmate lab</code> printed when it was started: the line that
ends in <code>/?token=...</code>. Open that link once, and this browser will remember the key.</p>
<p>Is the link gone? Stop the lab with Ctrl-C and start it again. It prints the same link, and
trainings continue meanwhile.</p>
"""


def token_path() -> Path:
    """In the user's own state folder, because the runs folder may be shared."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "selfmate" / "lab-token"


def lasting_token(path: Path, *, new: bool = False) -> str:
    """The token of earlier labs. A new one is made when there is no valid one, or on demand."""
    token = "" if new else _read_token(path)
    if not token:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        _write_token(path, token)
    return token


def _read_token(path: Path) -> str:
    try:
        token = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return token if TOKEN.fullmatch(token) else ""


def _write_token(path: Path, token: str) -> None:
    """Readable by the owner alone from the first byte on."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{token}\n")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


class OneTimeKeys:
    """Keys that open the page once, soon. A browser is started with one instead of the token,
    because all users of a machine can read the command lines of its processes."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._due: dict[str, float] = {}

    def new(self) -> str:
        key = secrets.token_urlsafe(TOKEN_BYTES)
        self._due[key] = self._now() + ONE_TIME_SECONDS
        return key

    def use(self, key: str) -> bool:
        """Whether the key was still valid; it no longer is."""
        due = self._due.pop(key, None)
        return due is not None and self._now() <= due


class Gate:
    """`host` is the address we listen on; requests may also use the names of loopback."""

    def __init__(  # noqa: PLR0913 - what a lab is known by
        self,
        app: ASGIApp,
        token: str,
        *,
        host: str,
        cookie: str,
        one_time: OneTimeKeys | None = None,
        scheme: Scheme = "http",
    ) -> None:
        self._app, self._token, self._cookie = app, token, cookie
        self._scheme = scheme
        self._one_time = one_time or OneTimeKeys()
        self._hosts = names_of(host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            is_by_link = self._admit(scope)
        except HTTPException as refused:
            await _refuse(scope, refused, receive, send)
            return
        cookie = self._set_cookie() if is_by_link else None
        await self._app(scope, _bounded(receive), _with_headers(send, cookie))

    def _admit(self, scope: Scope) -> bool:
        """Whether the token or a one-time key came in the link, so that the browser must remember
        the token. HTTPException for a request that is refused."""
        headers = Headers(scope=scope)
        opening = scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == "/"
        check_host(headers, self._hosts)
        _check_origin(headers, opening, self._scheme)
        if opening and any(map(self._is_token, _asked_for(scope, "token"))):
            return True
        if opening and any(map(self._one_time.use, _asked_for(scope, "once"))):
            return True
        if any(map(self._is_token, _bearer_of(headers))):
            return False
        if not any(map(self._is_token, _cookies_of(headers, self._cookie))):
            raise HTTPException(401, NO_TOKEN)
        changes = scope["type"] == "websocket" or scope["method"] != "GET"
        if changes and "origin" not in headers:  # browsers always send it; programs have no cookie
            raise HTTPException(403, "a page that changes something must send its Origin")
        return False

    def _is_token(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self._token.encode())

    def _set_cookie(self) -> str:
        return (
            f"{self._cookie}={self._token}; Path=/; Max-Age={COOKIE_SECONDS}; "
            f"HttpOnly; SameSite=Strict{'; Secure' if self._scheme == 'https' else ''}"
        )


def names_of(host: str) -> frozenset[str]:
    """The names by which a server that listens on this address may be called."""
    own = f"[{host}]" if ":" in host else host
    return frozenset({"127.0.0.1", "localhost", "[::1]", own.lower()})


def check_host(headers: Headers, names: frozenset[str]) -> None:
    """A foreign name may be an attempt to make a browser take us for a server of the attacker
    (DNS rebinding). The port may differ: tunnels have their own."""
    hosts = headers.getlist("host")
    if len(hosts) != 1 or _without_port(hosts[0].lower()) not in names:
        raise HTTPException(421, "this lab does not have that name: open the link it printed")


def _check_origin(headers: Headers, opening: bool, scheme: Scheme) -> None:
    """Other ports of this machine are other origins, though they share our cookies. From another
    origin only the page itself may be opened, by a link."""
    own = f"{scheme}://{headers['host'].lower()}"
    is_foreign = any(origin.lower() != own for origin in headers.getlist("origin"))
    is_cross_site = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
    if is_foreign or (is_cross_site and not opening):
        raise HTTPException(403, "pages of other origins may not use this lab")


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isascii() and port.isdigit() else host


def _asked_for(scope: Scope, name: str) -> list[str]:
    return parse_qs(scope["query_string"].decode("latin-1")).get(name, [])


def _bearer_of(headers: Headers) -> Iterator[str]:
    for given in headers.getlist("authorization"):
        scheme, _, token = given.partition(" ")
        if scheme.lower() == "bearer":
            yield token


def _cookies_of(headers: Headers, name: str) -> Iterator[str]:
    """All cookies of that name: another server of this machine may have set one too."""
    for given in headers.getlist("cookie"):
        for pair in given.split(";"):
            key, _, value = pair.strip().partition("=")
            if key == name:
                yield value


def _bounded(receive: Receive) -> Receive:
    """Counts the bytes of a body as they come: its length header proves nothing."""
    received = 0

    async def bounded() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > MAX_BODY_BYTES:
            raise HTTPException(413, f"a request may have {MAX_BODY_BYTES} bytes at most")
        return message

    return bounded


def _with_headers(send: Send, cookie: str | None = None) -> Send:
    """Adds our headers to every answer, refusals included."""

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            if cookie:
                headers["Set-Cookie"] = cookie
        await send(message)

    return with_headers


async def _refuse(scope: Scope, refused: HTTPException, receive: Receive, send: Send) -> None:
    """A browser that opens the page without a token gets a page that says where the token is; all
    else gets an error. A WebSocket is closed before it opens, which its client sees as 403."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close"})
        return
    answer: Response = error_answer(refused.status_code, refused.detail)
    if refused.status_code == 401 and scope["path"] == "/":
        answer = HTMLResponse(NO_TOKEN_PAGE, 401)
    await answer(scope, receive, _with_headers(send))
