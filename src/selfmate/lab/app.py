"""The lab's server put together: routes of every view, the socket, the page, behind the gate."""

from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from starlette.types import ASGIApp

from selfmate.lab.errors import answer_in_sentences
from selfmate.lab.gate import Gate
from selfmate.lab.ladder import LadderTopic, ladder_routes
from selfmate.lab.learning import Learning
from selfmate.lab.match_routes import match_routes
from selfmate.lab.match_topic import MatchTopic
from selfmate.lab.matches import Matches
from selfmate.lab.outside import Outside
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
    players = LabPlayers(runs)
    outside = Outside(settings.runs, players)
    matches = Matches(settings.runs / "matches", outside)
    ladder = LadderTopic(settings.runs / "pool.jsonl", outside)
    topics.add("runs", lambda _: runs)
    topics.add("matches", lambda _: matches)
    topics.add("match", lambda name: MatchTopic(matches, name))
    topics.add("ladder", lambda _: ladder)
    topics.add("learning", lambda _: Learning(runs))
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    answer_in_sentences(app)
    app.include_router(player_routes(players))
    app.include_router(match_routes(matches))
    app.include_router(ladder_routes(ladder))
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
