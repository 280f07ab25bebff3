"""The lab's server: the routes of every view, the socket and the page, behind the gate."""

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import APIRouter, FastAPI
from fastapi.responses import FileResponse
from starlette.types import ASGIApp

import selfmate._core
from selfmate.lab.access import Gate, OneTimeKeys, Scheme
from selfmate.lab.analysis import PlayerCache, analysis_routes
from selfmate.lab.datasets import Datasets, dataset_routes
from selfmate.lab.errors import NotFoundError, add_error_handlers
from selfmate.lab.ladder import LadderTopic, LearningTopic, ladder_routes
from selfmate.lab.matches import Matches, MatchTopic, match_routes
from selfmate.lab.minichess import Endgame, endgame_routes
from selfmate.lab.minichess_runs import EndgameRuns
from selfmate.lab.play import Games, game_routes
from selfmate.lab.players import POOL, CommandLineNames, LabPlayers, player_routes
from selfmate.lab.puzzle_book import puzzle_routes
from selfmate.lab.review import Reviews, review_routes
from selfmate.lab.run_feed import RunFeed, RunList
from selfmate.lab.runs_folder import RunsFolder
from selfmate.lab.samples import SampleFeed
from selfmate.lab.topics import SharedTopics, Topics, socket_routes
from selfmate.lab.tournaments import Tournaments, TournamentTopic, tournament_routes
from selfmate.lab.trainings import Trainings, train_routes

MEDIA_TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}


def page_folder() -> Path:
    """Where the page's files are: beside the core, because both are built at installation."""
    return Path(selfmate._core.__file__).parent / "lab" / "static"


def is_built(folder: Path) -> bool:
    return (folder / "index.html").is_file()


def page_routes(folder: Path) -> APIRouter:
    router = APIRouter()
    files = {path.name: path for path in folder.iterdir() if path.suffix in MEDIA_TYPES}

    @router.get("/")
    def page() -> FileResponse:
        return _file("index.html")

    @router.get("/{name}")
    def file(name: str) -> FileResponse:
        return _file(name)

    def _file(name: str) -> FileResponse:
        if name not in files:
            raise NotFoundError(f"the lab has no page {name[:80]!r}")
        return FileResponse(files[name], media_type=MEDIA_TYPES[files[name].suffix])

    return router


@dataclass(frozen=True)
class Certificate:
    """Files in PEM format."""

    cert: Path
    key: Path


@dataclass(frozen=True, kw_only=True)
class LabSettings:
    runs: Path
    page: Path  # the built files
    token: str
    host: str
    port: int
    data: tuple[Path, ...] = ()  # folders that trainings may read
    certificate: Certificate | None = None  # None: without encryption
    one_time: OneTimeKeys = field(default_factory=OneTimeKeys)

    @property
    def scheme(self) -> Scheme:
        return "http" if self.certificate is None else "https"


def make_app(settings: LabSettings, closing: ExitStack) -> ASGIApp:
    return Gate(
        make_views(settings, closing),
        settings.token,
        host=settings.host,
        cookie=f"selfmate-{settings.port}",  # cookies are shared by all ports of a host
        one_time=settings.one_time,
        scheme=settings.scheme,
    )


def make_views(settings: LabSettings, closing: ExitStack) -> FastAPI:
    """What the gate guards. Views that hold players, threads or engines register their cleanup with
    `closing`; it runs when the lab ends, while requests may still be waiting."""
    topics = Topics()
    runs = RunsFolder(settings.runs)
    players = LabPlayers(runs)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    add_error_handlers(app)
    app.include_router(player_routes(players))
    app.include_router(_play(players, topics, closing))
    app.include_router(_train(Trainings(runs, settings.data), runs, topics))
    datasets = Datasets(runs, [folder.resolve() for folder in settings.data])
    topics.add("datasets", lambda _: datasets)
    app.include_router(dataset_routes(datasets))
    for router in _matches(settings.runs, runs, players, topics, closing):
        app.include_router(router)
    cache = PlayerCache(players)
    closing.callback(cache.close)
    app.include_router(analysis_routes(players, cache))
    app.include_router(puzzle_routes(players, cache))
    app.include_router(_review(players, topics, closing))
    app.include_router(_endgame(runs, topics))
    app.include_router(socket_routes(topics))
    app.include_router(page_routes(settings.page))
    return app


def _play(players: LabPlayers, topics: Topics, closing: ExitStack) -> APIRouter:
    games = Games(players)
    closing.callback(games.close)
    topics.add("game", games.find)
    return game_routes(games)


def _train(trainings: Trainings, runs: RunsFolder, topics: Topics) -> APIRouter:
    run_list = RunList(runs, trainings)
    run_feeds = SharedTopics(lambda name: RunFeed(runs.path / name, trainings), trainings.check)
    sample_feeds = SharedTopics(lambda name: SampleFeed(runs.path / name), trainings.check)
    topics.add("runs", lambda _: run_list)
    topics.add("run", run_feeds.find)
    topics.add("sample", sample_feeds.find)
    return train_routes(trainings)


def _matches(
    folder: Path, runs: RunsFolder, players: LabPlayers, topics: Topics, closing: ExitStack
) -> tuple[APIRouter, ...]:
    names = CommandLineNames(folder, players)
    matches = Matches(folder / "matches", names)
    tournaments = Tournaments(folder / "tournaments", matches, names)
    tournaments.drive()
    closing.callback(tournaments.close)
    ladder = LadderTopic(folder / POOL, names)
    learning = LearningTopic(runs)
    topics.add("matches", lambda _: matches)
    topics.add("match", lambda name: MatchTopic(matches, name))
    topics.add("tournaments", lambda _: tournaments)
    topics.add("tournament", lambda name: TournamentTopic(tournaments, name))
    topics.add("ladder", lambda _: ladder)
    topics.add("learning", lambda _: learning)
    return match_routes(matches), tournament_routes(tournaments), ladder_routes(ladder)


def _review(players: LabPlayers, topics: Topics, closing: ExitStack) -> APIRouter:
    reviews = Reviews(players)
    closing.callback(reviews.close)
    topics.add("review", reviews.find)
    return review_routes(reviews)


def _endgame(runs: RunsFolder, topics: Topics) -> APIRouter:
    endgame_runs = EndgameRuns(runs)
    topics.add("endgame", endgame_runs.find)
    return endgame_routes(Endgame(endgame_runs))
