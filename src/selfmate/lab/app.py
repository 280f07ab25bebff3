"""The lab's server put together: routes of every view, the socket, the page, behind the gate."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from starlette.types import ASGIApp

from selfmate.lab.errors import answer_in_sentences
from selfmate.lab.gate import Gate
from selfmate.lab.play import Games, game_routes
from selfmate.lab.players import LabPlayers, player_routes
from selfmate.lab.runs_folder import RunsFolder
from selfmate.lab.socket import socket_routes
from selfmate.lab.static import page_routes
from selfmate.lab.topics import Topics


@dataclass(frozen=True, kw_only=True)
class LabSettings:
    runs: Path
    page: Path  # the built files
    token: str
    host: str
    port: int


def make_app(settings: LabSettings) -> ASGIApp:
    topics, at_the_end = Topics(), ExitStack()
    runs = RunsFolder(settings.runs)
    players = LabPlayers(runs)
    games = Games(players)
    at_the_end.callback(games.close)
    topics.add("runs", lambda _: runs)
    topics.add("game", games.find)

    @asynccontextmanager
    async def lifetime(_: FastAPI) -> AsyncIterator[None]:
        with at_the_end:
            yield

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifetime)
    answer_in_sentences(app)
    app.include_router(player_routes(players))
    app.include_router(game_routes(games))
    app.include_router(socket_routes(topics))
    app.include_router(page_routes(settings.page))
    return Gate(
        app,
        settings.token,
        hosts=_hosts(settings.host, settings.port),
        cookie=f"selfmate-{settings.port}",  # cookies do not tell ports apart
    )


def _hosts(host: str, port: int) -> frozenset[str]:
    """What a request may call us. Another name may be somebody's trick to reach us through a
    browser (DNS rebinding)."""
    names = {"127.0.0.1", "localhost", "[::1]", f"[{host}]" if ":" in host else host.lower()}
    return frozenset(f"{name}:{port}" for name in names)
