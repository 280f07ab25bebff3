"""One WebSocket a tab: it says what it follows, and hears what is new, five times a second at most.

From the page: {"follow": ["runs", "run:dqn-1"]}. To the page: {"news": {"runs": ..., ...}}.
"""

import asyncio
from contextlib import suppress
from typing import Annotated, Any

from anyio import create_task_group, to_thread
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from selfmate.lab.topics import Follower, Topics

MOST_MESSAGE_BYTES = 2**14
MOST_TABS = 50
SECONDS_BETWEEN_NEWS = 0.2
TRY_AGAIN_LATER, NOT_UNDERSTOOD = 1013, 1003

Name = Annotated[str, Field(max_length=300)]


class Follow(BaseModel):
    model_config = ConfigDict(extra="forbid")

    follow: list[Name] = Field(max_length=20)


def socket_routes(topics: Topics) -> APIRouter:
    router = APIRouter()
    tabs: set[WebSocket] = set()

    @router.websocket("/api/news")
    async def news(socket: WebSocket) -> None:
        if len(tabs) >= MOST_TABS:
            await socket.close(TRY_AGAIN_LATER)
            return
        tabs.add(socket)
        try:
            await socket.accept()
            await _Tab(socket, Follower(topics)).talk()
        finally:
            tabs.discard(socket)

    return router


class _Tab:
    def __init__(self, socket: WebSocket, follower: Follower) -> None:
        self._socket, self._follower = socket, follower
        self._followed = asyncio.Event()

    async def talk(self) -> None:
        """Until the tab is closed, or says what nobody understands."""
        async with create_task_group() as both:
            both.start_soon(self._tell)
            await self._listen()
            both.cancel_scope.cancel()

    async def _listen(self) -> None:
        try:
            while True:
                text = await self._socket.receive_text()
                self._follower.follow(Follow.model_validate_json(text).follow)
                self._followed.set()
        except (ValidationError, KeyError):  # KeyError: bytes instead of text
            await self._socket.close(NOT_UNDERSTOOD)
        except WebSocketDisconnect:
            pass

    async def _tell(self) -> None:
        """What is followed anew is told at once, unless something has just been told."""
        with suppress(WebSocketDisconnect):
            while True:
                news = await to_thread.run_sync(self._news)
                if news:
                    await self._socket.send_text(news)
                    await asyncio.sleep(SECONDS_BETWEEN_NEWS)
                else:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(SECONDS_BETWEEN_NEWS):
                            await self._followed.wait()
                self._followed.clear()

    def _news(self) -> str:
        """Empty when nothing is new."""
        told = [f"{_json(name)}:{_json(data)}" for name, data in self._follower.news().items()]
        return f'{{"news":{{{",".join(told)}}}}}' if told else ""


def _json(data: Any) -> str:
    """JSON knows no NaN: it is null. What is no JSON at all does not silence the rest."""
    try:
        return to_json(data, inf_nan_mode="null").decode()
    except PydanticSerializationError as error:
        return to_json({"error": f"this cannot be shown: {error}"}).decode()
