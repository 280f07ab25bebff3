"""The one way into the lab. Whatever asks, by HTTP or WebSocket, must name our host, come from our
own page or from no page at all, know the token, and not bring too much."""

import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BODY_BYTES = 2**20
SAFE_METHODS = ("GET", "HEAD")
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


class RefusedError(Exception):
    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Gate:
    """`hosts` are those that a request may name, each with its port."""

    def __init__(self, app: ASGIApp, token: str, hosts: frozenset[str], cookie: str) -> None:
        self._app, self._token, self._hosts, self._cookie = app, token, hosts, cookie

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            by_link = self._admit(scope)
        except RefusedError as error:
            await _refuse(scope, receive, send, error)
            return
        bounded = _bounded(receive) if scope["type"] == "http" else receive
        try:
            await self._app(scope, bounded, self._dressed(send, by_link))
        except RefusedError as error:  # a body that grew too large on the way
            await _refuse(scope, receive, send, error)

    def _admit(self, scope: Scope) -> bool:
        """Whether the token came in the link, so that the browser is to remember it."""
        headers = Headers(scope=scope)
        self._check_place(headers)
        _check_length(headers)
        if self._knows(headers.get("authorization", "").removeprefix("Bearer ")):
            return False
        if self._knows(_cookie_of(headers, self._cookie)):
            changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
            if changes and "origin" not in headers:
                raise RefusedError(403, "a page that changes something must say its Origin")
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[-1]
        if scope["type"] == "http" and scope["path"] == "/" and self._knows(given):
            return True
        raise RefusedError(
            401, "this lab needs its token: open the link that `selfmate lab` printed"
        )

    def _check_place(self, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise RefusedError(421, "this lab does not go by that name: open the link it printed")
        origins = {f"http://{host}" for host in self._hosts}
        if any(origin not in origins for origin in headers.getlist("origin")):
            raise RefusedError(403, "pages from elsewhere may not use this lab")

    def _knows(self, token: str) -> bool:
        return secrets.compare_digest(token.encode("utf-8", "replace"), self._token.encode())

    def _dressed(self, send: Send, by_link: bool) -> Send:
        """Every answer carries our headers, and the first one the cookie."""

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if by_link:
                    headers["Set-Cookie"] = (
                        f"{self._cookie}={self._token}; Path=/; Max-Age={COOKIE_SECONDS}; "
                        "HttpOnly; SameSite=Strict"
                    )
            await send(message)

        return dressed


def _cookie_of(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


def _check_length(headers: Headers) -> None:
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or int(length[:20]) > MOST_BODY_BYTES:
        raise _too_large()


def _too_large() -> RefusedError:
    return RefusedError(413, f"a request may have {MOST_BODY_BYTES} bytes at most")


def _bounded(receive: Receive) -> Receive:
    """Bodies without a length are counted as they come."""
    received = 0

    async def bounded() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > MOST_BODY_BYTES:
            raise _too_large()
        return message

    return bounded


async def _refuse(scope: Scope, receive: Receive, send: Send, error: RefusedError) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})  # before accepting: HTTP 403
        return
    answer = PlainTextResponse(f"{error}\n", error.status, HEADERS)
    await answer(scope, receive, send)
