"""The lab's server put together: routes of every view, the socket, the page, behind the gate."""

from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from starlette.types import ASGIApp

from selfmate.lab.errors import answer_in_sentences
from selfmate.lab.gate import Gate
from selfmate.lab.players import LabPlayers, player_routes
from selfmate.lab.run_feed import RunFeed
from selfmate.lab.run_rows import RunRows
from selfmate.lab.runs_folder import RunsFolder
from selfmate.lab.sample_feed import SampleFeed
from selfmate.lab.shared_topics import SharedTopics
from selfmate.lab.socket import socket_routes
from selfmate.lab.static import page_routes
from selfmate.lab.topics import Topics
from selfmate.lab.train_view import train_routes
from selfmate.lab.trainings import Trainings


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
    trainings = Trainings(runs)
    rows = RunRows(runs, trainings)
    run_feeds = SharedTopics(lambda name: RunFeed(runs.path / name, trainings), trainings.check)
    sample_feeds = SharedTopics(lambda name: SampleFeed(runs.path / name), trainings.check)
    topics.add("runs", lambda _: rows)
    topics.add("run", run_feeds.find)
    topics.add("sample", sample_feeds.find)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    answer_in_sentences(app)
    app.include_router(player_routes(LabPlayers(runs)))
    app.include_router(train_routes(trainings))
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
