"""The lab's server put together: routes of every view, the socket, the page, behind the gate."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp

from selfmate.lab.analyse.player_cache import PlayerCache
from selfmate.lab.analyse.routes import analysis_routes
from selfmate.lab.endgame.routes import Endgame, endgame_routes
from selfmate.lab.endgame.runs import EndgameRuns
from selfmate.lab.errors import answer_in_sentences
from selfmate.lab.gate import Gate
from selfmate.lab.ladder.ladder import LadderTopic, ladder_routes
from selfmate.lab.ladder.learning import Learning
from selfmate.lab.match.match_topic import MatchTopic
from selfmate.lab.match.matches import Matches
from selfmate.lab.match.routes import match_routes
from selfmate.lab.outside import Outside
from selfmate.lab.play.routes import Games, game_routes
from selfmate.lab.players import LabPlayers, player_routes
from selfmate.lab.runs_folder import RunsFolder
from selfmate.lab.shared_topics import SharedTopics
from selfmate.lab.socket import socket_routes
from selfmate.lab.static import page_routes
from selfmate.lab.topics import Topics
from selfmate.lab.train.routes import train_routes
from selfmate.lab.train.run_feed import RunFeed
from selfmate.lab.train.run_rows import RunRows
from selfmate.lab.train.sample_feed import SampleFeed
from selfmate.lab.train.trainings import Trainings


@dataclass(frozen=True, kw_only=True)
class LabSettings:
    runs: Path
    page: Path  # the built files
    token: str
    host: str
    port: int


def make_app(settings: LabSettings, closing: ExitStack) -> ASGIApp:
    return Gate(
        make_views(settings, closing),
        settings.token,
        host=settings.host,
        cookie=f"selfmate-{settings.port}",  # cookies do not tell ports apart
    )


def make_views(settings: LabSettings, closing: ExitStack) -> FastAPI:
    """What the gate guards. Views that hold players, threads or engines leave word with `closing`,
    as in `closing.callback(games.close)`; it is heard when the lab ends, while requests may still
    be waiting for them."""
    topics = Topics()
    runs = RunsFolder(settings.runs)
    players = LabPlayers(runs)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    answer_in_sentences(app)
    app.include_router(player_routes(players))
    app.include_router(_play(players, topics, closing))
    app.include_router(_train(runs, topics))
    for router in _matches(settings.runs, runs, players, topics):
        app.include_router(router)
    app.include_router(_analyse(players, closing))
    app.include_router(_endgame(runs, topics))
    app.include_router(socket_routes(topics))
    app.include_router(page_routes(settings.page))
    return app


def _play(players: LabPlayers, topics: Topics, closing: ExitStack) -> APIRouter:
    games = Games(players)
    closing.callback(games.close)
    topics.add("game", games.find)
    return game_routes(games)


def _train(runs: RunsFolder, topics: Topics) -> APIRouter:
    trainings = Trainings(runs)
    rows = RunRows(runs, trainings)
    run_feeds = SharedTopics(lambda name: RunFeed(runs.path / name, trainings), trainings.check)
    sample_feeds = SharedTopics(lambda name: SampleFeed(runs.path / name), trainings.check)
    topics.add("runs", lambda _: rows)
    topics.add("run", run_feeds.find)
    topics.add("sample", sample_feeds.find)
    return train_routes(trainings)


def _matches(
    folder: Path, runs: RunsFolder, players: LabPlayers, topics: Topics
) -> tuple[APIRouter, APIRouter]:
    outside = Outside(folder, players)
    matches = Matches(folder / "matches", outside)
    ladder = LadderTopic(folder / "pool.jsonl", outside)
    learning = Learning(runs)
    topics.add("matches", lambda _: matches)
    topics.add("match", lambda name: MatchTopic(matches, name))
    topics.add("ladder", lambda _: ladder)
    topics.add("learning", lambda _: learning)
    return match_routes(matches), ladder_routes(ladder)


def _analyse(players: LabPlayers, closing: ExitStack) -> APIRouter:
    cache = PlayerCache(players)
    closing.callback(cache.close)
    return analysis_routes(players, cache)


def _endgame(runs: RunsFolder, topics: Topics) -> APIRouter:
    endgame_runs = EndgameRuns(runs)
    topics.add("endgame", endgame_runs.find)
    return endgame_routes(Endgame(endgame_runs))
