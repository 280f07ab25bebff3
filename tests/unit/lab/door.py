"""Requests as nobody's library would send them: any header, any number of times, any path."""

import json
import socket
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPResponse
from typing import Any

from selfmate.lab.access import HEADERS

Header = tuple[str, str]
JSON = ("Content-Type", "application/json")
UPGRADE = (
    ("Connection", "Upgrade"),
    ("Upgrade", "websocket"),
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "c2VsZm1hdGUgc2VsZm1hdA=="),
)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Message
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def is_dressed(self) -> bool:
        return all(self.headers.get_all(name) == [value] for name, value in HEADERS.items())


@dataclass(frozen=True)
class Door:
    """Where a server listens, and the key to it."""

    port: int
    token: str

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def bearer(self) -> Header:
        return ("Authorization", f"Bearer {self.token}")

    @property
    def cookie(self) -> Header:
        return ("Cookie", f"selfmate-{self.port}={self.token}")

    def ask(
        self,
        method: str,
        path: str,
        *headers: Header,
        hosts: Iterable[str] | None = None,
        body: bytes = b"",
    ) -> Answer:
        """The host is ours unless others are given; a body's length is for the asker to say."""
        named = [("Host", host) for host in (hosts if hosts is not None else [self.host])]
        lines = [f"{method} {path} HTTP/1.1", *(f"{key}: {value}" for key, value in named)]
        lines += [f"{key}: {value}" for key, value in headers]
        with self.connected() as connection:
            connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
            return read_answer(connection, method)

    def knock(self, *headers: Header, hosts: Iterable[str] | None = None) -> int:
        """At the socket; 101 lets us in."""
        return self.ask("GET", "/api/news", *UPGRADE, *headers, hosts=hosts).status

    def post(self, path: str, data: Any) -> Answer:
        body = json.dumps(data).encode()
        length = ("Content-Length", str(len(body)))
        return self.ask("POST", path, self.bearer, JSON, length, body=body)

    @contextmanager
    def connected(self) -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            yield connection


def read_answer(connection: socket.socket, method: str = "GET") -> Answer:
    with closing(HTTPResponse(connection, method=method)) as response:
        response.begin()
        body = b"" if response.status == 101 else response.read()
        return Answer(response.status, response.headers, body)
