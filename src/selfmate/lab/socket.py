"""One WebSocket a tab: it says what it follows, and hears what is new, five times a second at most.

From the page: {"follow": ["runs", "run:dqn-1"]}. To the page: {"news": {"runs": ..., ...}}.
"""

import asyncio
import json
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, ValidationError

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
        await socket.accept()
        tabs.add(socket)
        follower = Follower(topics)
        telling = asyncio.create_task(_tell(socket, follower))
        try:
            await _listen(socket, follower)
        finally:
            tabs.discard(socket)
            telling.cancel()

    return router


async def _listen(socket: WebSocket, follower: Follower) -> None:
    try:
        while True:
            follower.follow(Follow.model_validate_json(await socket.receive_text()).follow)
    except (ValidationError, KeyError):  # KeyError: bytes instead of text
        await socket.close(NOT_UNDERSTOOD)
    except WebSocketDisconnect:
        pass


async def _tell(socket: WebSocket, follower: Follower) -> None:
    while True:
        news = await to_thread.run_sync(follower.news)
        if news:
            try:
                await socket.send_text(json.dumps({"news": news}, separators=(",", ":")))
            except (WebSocketDisconnect, RuntimeError):
                return
        await asyncio.sleep(SECONDS_BETWEEN_NEWS)
