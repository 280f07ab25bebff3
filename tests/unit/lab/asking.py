"""The lab asked in this process, without a port: requests go straight into the app."""

import asyncio
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.types import ASGIApp, Message, Scope

from selfmate.lab.app import LabSettings, make_app

TOKEN, HOST, PORT = "a-token", "127.0.0.1", 8008


@dataclass(frozen=True)
class Answer:
    status: int
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class AskedLab:
    def __init__(self, runs: Path, page: Path) -> None:
        page.mkdir(exist_ok=True)
        settings = LabSettings(runs=runs, page=page, token=TOKEN, host=HOST, port=PORT)
        self.closing = ExitStack()
        self._app: ASGIApp = make_app(settings, self.closing)

    def get(self, path: str, **query: object) -> Answer:
        return _run(self._ask("GET", path, urlencode(query), b""))

    def post(self, path: str, body: object) -> Answer:
        return _run(self._ask("POST", path, "", json.dumps(body).encode()))

    async def _ask(self, method: str, path: str, query: str, body: bytes) -> Answer:
        messages: list[Message] = []
        asked = False

        async def receive() -> Message:
            nonlocal asked
            if asked:
                await asyncio.Event().wait()  # the asker stays until the answer is complete
            asked = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            messages.append(message)

        await self._app(_scope(method, path, query), receive, send)
        text = b"".join(message.get("body", b"") for message in messages)
        return Answer(messages[0]["status"], text.decode())


def _run(asking: Coroutine[Any, Any, Answer]) -> Answer:
    """In a thread, because a browser's tests leave this one with a loop that is running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, asking).result()


def _scope(method: str, path: str, query: str) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            (b"host", f"{HOST}:{PORT}".encode()),
            (b"authorization", f"Bearer {TOKEN}".encode()),
            (b"content-type", b"application/json"),
        ],
        "client": (HOST, 50000),
        "server": (HOST, PORT),
    }
