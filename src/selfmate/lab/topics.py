"""Topics are things that change by themselves, each with a name like `run:dqn-1`. A tab follows
them over a WebSocket, with at most five updates a second.

From the page: {"follow": ["runs", "run:dqn-1"]}. To the page: {"news": {"runs": ..., ...}}.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Annotated, Any, Protocol

from anyio import create_task_group, to_thread
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticSerializationError, to_json
from typing_extensions import TypedDict

from selfmate.lab.errors import INTERNAL, NotFoundError, message_of

LOG = logging.getLogger(__name__)
MAX_SHARED = 32
MAX_MESSAGE_BYTES = 2**14
MAX_TABS = 50
SECONDS_BETWEEN_UPDATES = 0.2
TRY_AGAIN_LATER, UNSUPPORTED_DATA = 1013, 1003  # close codes of RFC 6455

Name = Annotated[str, Field(max_length=300)]
Find = Callable[[str], "Topic"]


class Topic(Protocol):
    """Both methods may block, and may be called from several threads at once."""

    def version(self) -> Hashable:
        """Cheap. Another value whenever `data` has changed."""

    def data(self) -> Any:
        """All that is to be shown, for JSON."""


class TopicError(TypedDict):
    """Sent instead of a topic's data."""

    error: str


class Topics:
    """Kinds of topics, and how one is found by the part of its name after the colon."""

    def __init__(self) -> None:
        self._kinds: dict[str, Find] = {}

    def add(self, kind: str, find: Find) -> None:
        """`find` gets an empty text for a name without a colon, such as `runs`."""
        self._kinds[kind] = find

    def find(self, name: str) -> Topic:
        """ValueError or NotFoundError when there is none."""
        kind, _, rest = name.partition(":")
        if kind not in self._kinds:
            raise ValueError(f"there is no topic {name[:80]!r}")
        return self._kinds[kind](rest)


class SharedTopics:
    """Topics that are made on demand and are the same for every tab. `check` raises for names that
    do not exist; the least recently used topics are dropped."""

    def __init__(self, make: Callable[[str], Topic], check: Callable[[str], None]) -> None:
        self._make, self._check = make, check
        self._topics: dict[str, Topic] = {}
        self._lock = threading.Lock()

    def find(self, name: str) -> Topic:
        self._check(name)
        with self._lock:
            topic = self._topics.pop(name, None) or self._make(name)
            self._topics[name] = topic  # now the most recently used
            while len(self._topics) > MAX_SHARED:
                del self._topics[next(iter(self._topics))]
            return topic


class Follower:
    """What one tab follows, and the versions that were sent to it."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._sent: dict[str, Hashable] = {}

    def follow(self, names: list[str]) -> None:
        """These topics and no others; what was followed before is not sent again."""
        self._sent = {name: self._sent.get(name) for name in names}

    def updates(self) -> dict[str, Any]:
        """The data of topics that have changed, by name."""
        found = {}
        for name, sent in list(self._sent.items()):
            version, data = self._look(name, sent)
            if version != sent and name in self._sent:
                self._sent[name] = version
                found[name] = data
        return found

    def _look(self, name: str, sent: Hashable) -> tuple[Hashable, Any]:
        """A topic that fails does not hold up the others."""
        try:
            topic = self._topics.find(name)
            version = ("data", topic.version())
            return version, topic.data() if version != sent else None
        except (ValueError, NotFoundError, OSError) as error:
            message = message_of(error)
            return ("error", message), TopicError(error=message)
        except Exception as error:
            failed = ("failed", repr(error))
            if failed != sent:
                LOG.exception("the topic %r failed", name)
            return failed, TopicError(error=INTERNAL)


class Follow(BaseModel):
    model_config = ConfigDict(extra="forbid")

    follow: list[Name] = Field(max_length=20)


def socket_routes(topics: Topics) -> APIRouter:
    router = APIRouter()
    tabs: set[WebSocket] = set()

    @router.websocket("/api/news")
    async def follow(socket: WebSocket) -> None:
        if len(tabs) >= MAX_TABS:
            await socket.close(TRY_AGAIN_LATER)
            return
        tabs.add(socket)
        try:
            await socket.accept()
            await _Tab(socket, Follower(topics)).serve()
        finally:
            tabs.discard(socket)

    return router


class _Tab:
    def __init__(self, socket: WebSocket, follower: Follower) -> None:
        self._socket, self._follower = socket, follower
        self._followed = asyncio.Event()

    async def serve(self) -> None:
        """Until the tab is closed or sends something invalid."""
        async with create_task_group() as both:
            both.start_soon(self._send)
            await self._receive()
            both.cancel_scope.cancel()

    async def _receive(self) -> None:
        try:
            while True:
                text = await self._socket.receive_text()
                self._follower.follow(Follow.model_validate_json(text).follow)
                self._followed.set()
        except (ValidationError, KeyError):  # KeyError: bytes instead of text
            await self._socket.close(UNSUPPORTED_DATA)
        except WebSocketDisconnect:
            pass

    async def _send(self) -> None:
        """New topics are sent at once, unless something has just been sent."""
        with suppress(WebSocketDisconnect):
            while True:
                message = await to_thread.run_sync(self._message)
                if message:
                    await self._socket.send_text(message)
                    await asyncio.sleep(SECONDS_BETWEEN_UPDATES)
                else:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(SECONDS_BETWEEN_UPDATES):
                            await self._followed.wait()
                self._followed.clear()

    def _message(self) -> str:
        """Empty when nothing has changed."""
        updates = self._follower.updates().items()
        pairs = [f"{_json(name)}:{_json(data)}" for name, data in updates]
        return f'{{"news":{{{",".join(pairs)}}}}}' if pairs else ""


def _json(data: Any) -> str:
    """NaN becomes null. Data that JSON cannot hold becomes an error of this topic alone."""
    try:
        return to_json(data, inf_nan_mode="null").decode()
    except PydanticSerializationError as error:
        return to_json({"error": f"this cannot be shown: {error}"}).decode()
