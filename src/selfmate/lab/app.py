"""The lab's server put together: routes of every view, the socket, the page, behind the gate."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from starlette.types import ASGIApp

from selfmate.lab.analysis import analysis_routes
from selfmate.lab.endgame import Endgame, endgame_routes
from selfmate.lab.endgame_runs import EndgameRuns
from selfmate.lab.errors import answer_in_sentences
from selfmate.lab.gate import Gate
from selfmate.lab.player_cache import PlayerCache
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
    topics = Topics()
    runs = RunsFolder(settings.runs)
    topics.add("runs", lambda _: runs)
    endgame_runs = EndgameRuns(runs)
    topics.add("endgame", endgame_runs.find)
    players = LabPlayers(runs)
    cache = PlayerCache(players)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        cache.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    answer_in_sentences(app)
    app.include_router(player_routes(players))
    app.include_router(analysis_routes(players, cache))
    app.include_router(endgame_routes(Endgame(endgame_runs)))
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
