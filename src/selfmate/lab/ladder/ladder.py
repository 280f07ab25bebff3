"""Everybody who was rated, and rating one more: `selfmate rate` as a process of its own."""

import threading
from collections.abc import Hashable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from selfmate.arena.ladder import Ladder
from selfmate.arena.rating import Rating
from selfmate.arena.sitting import ask_to_stop, news_path, read_news
from selfmate.lab.errors import BusyError
from selfmate.lab.job import Job
from selfmate.lab.outside import Outside
from selfmate.lab.players import RUNS
from selfmate.lab.runs_folder import changed_ns
from selfmate.runs.lock import is_taken

SEED = 1  # that of `selfmate rate`
SIDES = ("player", "opponent")


class NewRating(BaseModel):
    model_config = ConfigDict(extra="forbid")

    player: Annotated[str, Field(max_length=300)]
    games: Annotated[int, Field(ge=2, le=1000)] = 100  # against each rung


class LadderTopic:
    """The pool of results in the runs folder, as `ladder`."""

    def __init__(self, pool: Path, outside: Outside) -> None:
        self._pool, self._outside = pool, outside
        self._job: Job | None = None
        self._stopped = False
        self._starting = threading.Lock()

    def rate(self, player: str, games: int) -> None:
        name = self._outside.name(player)
        with self._starting:
            if self._runs():
                raise BusyError("somebody is being rated: wait for it, or stop it")
            self._stopped = False
            options = ["--games", str(games), "--seed", str(SEED), "--json"]
            options += ["--pool", self._outside.path(self._pool)]
            self._job = Job(["rate", name, *options], self._outside.folder)

    def stop(self) -> None:
        self._stopped = True
        if is_taken(self._pool):
            ask_to_stop(self._pool)
        elif self._job is not None and self._job.runs:
            self._job.end()

    def version(self) -> Hashable:
        changes = [changed_ns(path) for path in (self._pool, news_path(self._pool))]
        return (*changes, self._runs(), self._stopped)

    def data(self) -> dict[str, Any]:
        ladder = Ladder(self._pool, games_per_pairing=2, seed=SEED)
        rated = bool(ladder.pool.pairings)
        tied = ladder.tied_ratings() if rated else None
        return {
            "players": self._rows(ladder.ratings()) if rated else [],
            "on_stockfish_scale": self._rows(tied) if tied else None,
            "rating": self._progress() if self._runs() else None,
            "problem": None if self._stopped or self._job is None else self._job.problem(),
        }

    def _runs(self) -> bool:
        return is_taken(self._pool) or (self._job is not None and self._job.runs)

    def _progress(self) -> dict[str, Any]:
        """Empty until the first game is begun."""
        news = read_news(self._pool)
        shown = {side: self._outside.shown(str(news[side])) for side in news if side in SIDES}
        return news | shown

    def _rows(self, ratings: dict[str, Rating]) -> list[dict[str, Any]]:
        strongest_first = sorted(ratings.items(), key=lambda item: -item[1].elo)
        return [self._row(name, rating) for name, rating in strongest_first]

    def _row(self, name: str, rating: Rating) -> dict[str, Any]:
        shown = self._outside.shown(name)
        return {
            "name": shown,
            "trained": shown.startswith(RUNS),
            "elo": round(rating.elo, 1),
            "low": None if rating.low is None else round(rating.low, 1),
            "high": None if rating.high is None else round(rating.high, 1),
            "games": rating.games,
        }


def ladder_routes(ladder: LadderTopic) -> APIRouter:
    router = APIRouter(prefix="/api/ladder")

    @router.get("")
    def everybody() -> dict[str, Any]:
        return ladder.data()

    @router.post("/rate")
    def rate(wanted: NewRating) -> dict[str, str]:
        ladder.rate(wanted.player, wanted.games)
        return {"player": wanted.player}

    @router.post("/stop")
    def stop() -> dict[str, str]:
        ladder.stop()
        return {}

    return router
