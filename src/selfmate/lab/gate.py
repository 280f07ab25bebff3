"""The one way into the lab. Whatever asks, by HTTP or WebSocket, must name our host, come from our
own page or from no page at all, know the token, and not bring too much."""

import secrets
from collections.abc import Iterator
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from selfmate.lab.errors import sentence

MOST_BODY_BYTES = 2**20
COOKIE_SECONDS = 400 * 24 * 3600  # browsers keep none longer
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
NO_TOKEN = "this lab needs its token: open the link that `selfmate lab` printed"
NO_TOKEN_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Selfmate lab</title>
<h1>The lab is here, and locked</h1>
<p>Its key is in the link that <code>selfmate lab</code> printed where it was started: the line that
ends in <code>/?token=...</code>. Open that line once, and this browser will remember it.</p>
<p>Is the line gone? End the lab with Ctrl-C and start it again. It prints the same link, and
trainings go on meanwhile.</p>
"""


class Gate:
    """`host` is the address we listen on; requests may also call us by the names of loopback."""

    def __init__(self, app: ASGIApp, token: str, host: str, cookie: str) -> None:
        self._app, self._token, self._cookie = app, token, cookie
        own = f"[{host}]" if ":" in host else host
        self._names = frozenset({"127.0.0.1", "localhost", "[::1]", own.lower()})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            by_link = self._admit(scope)
        except HTTPException as refused:
            await _refuse(scope, refused, receive, send)
            return
        cookie = self._remembering() if by_link else None
        await self._app(scope, _bounded(receive), _dressed(send, cookie))

    def _admit(self, scope: Scope) -> bool:
        """Whether the token came in the link, so that the browser is to remember it. HTTPException
        for what may not come in."""
        headers = Headers(scope=scope)
        opening = scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == "/"
        self._check_name(headers)
        _check_origin(headers, opening)
        if opening and any(map(self._knows, _token_of(scope))):
            return True
        if any(map(self._knows, _bearer_of(headers))):
            return False
        if not any(map(self._knows, _cookies_of(headers, self._cookie))):
            raise HTTPException(401, NO_TOKEN)
        changes = scope["type"] == "websocket" or scope["method"] != "GET"
        if changes and "origin" not in headers:  # browsers say it; programs have no cookie
            raise HTTPException(403, "a page that changes something must say its Origin")
        return False

    def _check_name(self, headers: Headers) -> None:
        """A name that is not ours may be somebody's trick to make a browser take us for a page of
        theirs (DNS rebinding). The port may differ: tunnels have their own."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or _without_port(hosts[0].lower()) not in self._names:
            raise HTTPException(421, "this lab does not go by that name: open the link it printed")

    def _knows(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self._token.encode())

    def _remembering(self) -> str:
        return (
            f"{self._cookie}={self._token}; Path=/; Max-Age={COOKIE_SECONDS}; "
            "HttpOnly; SameSite=Strict"
        )


def _check_origin(headers: Headers, opening: bool) -> None:
    """Other ports of this machine are elsewhere too, though they share our cookies. Only the page
    itself may be opened from elsewhere, by a link."""
    own = f"http://{headers['host'].lower()}"
    from_elsewhere = any(origin.lower() != own for origin in headers.getlist("origin"))
    asked_elsewhere = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
    if from_elsewhere or (asked_elsewhere and not opening):
        raise HTTPException(403, "pages from elsewhere may not use this lab")


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isascii() and port.isdigit() else host


def _token_of(scope: Scope) -> list[str]:
    return parse_qs(scope["query_string"].decode("latin-1")).get("token", [])


def _bearer_of(headers: Headers) -> Iterator[str]:
    for given in headers.getlist("authorization"):
        scheme, _, token = given.partition(" ")
        if scheme.lower() == "bearer":
            yield token


def _cookies_of(headers: Headers, name: str) -> Iterator[str]:
    """All of that name: another server of this machine may have set one too, or odd ones."""
    for given in headers.getlist("cookie"):
        for pair in given.split(";"):
            key, _, value = pair.strip().partition("=")
            if key == name:
                yield value


def _bounded(receive: Receive) -> Receive:
    """Bodies are counted as they come; what a header says of their length proves nothing."""
    received = 0

    async def bounded() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > MOST_BODY_BYTES:
            raise HTTPException(413, f"a request may have {MOST_BODY_BYTES} bytes at most")
        return message

    return bounded


def _dressed(send: Send, cookie: str | None = None) -> Send:
    """Every answer carries our headers, also those that refuse."""

    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            if cookie:
                headers["Set-Cookie"] = cookie
        await send(message)

    return dressed


async def _refuse(scope: Scope, refused: HTTPException, receive: Receive, send: Send) -> None:
    """To a newcomer at the door a page that says where the key is, to all else a sentence. A
    WebSocket is closed before it opens, which its client sees as 403."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close"})
        return
    answer: Response = sentence(refused.status_code, refused.detail)
    if refused.status_code == 401 and scope["path"] == "/":
        answer = HTMLResponse(NO_TOKEN_PAGE, 401)
    await answer(scope, receive, _dressed(send))
