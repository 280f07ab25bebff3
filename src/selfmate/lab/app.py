"""The lab's server put together: routes of every view, the socket, the page, behind the gate."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from starlette.types import ASGIApp

from selfmate.lab.analysis import analysis_routes
from selfmate.lab.endgame import Endgame, endgame_routes
from selfmate.lab.endgame_runs import EndgameRuns
from selfmate.lab.errors import answer_in_sentences
from selfmate.lab.gate import Gate
from selfmate.lab.ladder import LadderTopic, ladder_routes
from selfmate.lab.learning import Learning
from selfmate.lab.match_routes import match_routes
from selfmate.lab.match_topic import MatchTopic
from selfmate.lab.matches import Matches
from selfmate.lab.outside import Outside
from selfmate.lab.play import Games, game_routes
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
    games = Games(players)
    closing.callback(games.close)
    cache = PlayerCache(players)
    closing.callback(cache.close)
    outside = Outside(settings.runs, players)
    matches = Matches(settings.runs / "matches", outside)
    ladder = LadderTopic(settings.runs / "pool.jsonl", outside)
    endgame_runs = EndgameRuns(runs)
    topics.add("runs", lambda _: runs)
    topics.add("game", games.find)
    topics.add("matches", lambda _: matches)
    topics.add("match", lambda name: MatchTopic(matches, name))
    topics.add("ladder", lambda _: ladder)
    topics.add("learning", lambda _: Learning(runs))
    topics.add("endgame", endgame_runs.find)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    answer_in_sentences(app)
    app.include_router(player_routes(players))
    app.include_router(game_routes(games))
    app.include_router(match_routes(matches))
    app.include_router(ladder_routes(ladder))
    app.include_router(analysis_routes(players, cache))
    app.include_router(endgame_routes(Endgame(endgame_runs)))
    app.include_router(socket_routes(topics))
    app.include_router(page_routes(settings.page))
    return app
