"""The Ladder view: all rated players, the rating of one more, and strength over training time.

A rating runs as `selfmate rate`, in a process of its own.
"""

import threading
import time
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from selfmate.arena.ladder import Ladder
from selfmate.arena.match_run import progress_path, read_progress, request_stop
from selfmate.arena.rating import SCALE, Rating
from selfmate.lab.errors import BusyError
from selfmate.lab.job import Job
from selfmate.lab.players import RUNS, SEED, CommandLineNames, shipped_ratings
from selfmate.lab.run_feed import Curves, number_of
from selfmate.lab.runs_folder import RunsFolder, changed_ns
from selfmate.runs import is_taken
from selfmate.runs.metrics import METRICS, TIMINGS, GrowingFiles
from selfmate.weights.card import Rating as CardRating

SECONDS_BETWEEN_LOOKS = 1.0
STEP, SCORE, PLIES = "step", "score_", "mean_plies_"


class RatedPlayer(TypedDict):
    name: str
    kind: Literal["rung", "run", "shipped", "other"]  # shipped: the rating on the card of a net
    elo: float
    low: float | None
    high: float | None
    games: int


class RatingProgress(TypedDict, total=False):
    """The games of a player that is being rated; empty until the first has begun."""

    player: str
    opponent: str  # of the games that are being played now
    games: int
    done: int
    known: str  # the rating so far, in words


class LadderData(TypedDict):
    """The topic `ladder`."""

    players: list[RatedPlayer]  # the strongest first
    scale: str
    left_out: str | None  # a sentence about results that are not used
    rating: RatingProgress | None  # None while nobody is being rated
    problem: str | None


class NewRating(BaseModel):
    model_config = ConfigDict(extra="forbid")

    player: Annotated[str, Field(max_length=300)]
    games: Annotated[int, Field(ge=2, le=10_000)] = 200


class LadderTopic:
    """The pool of results in the runs folder."""

    def __init__(self, pool: Path, names: CommandLineNames) -> None:
        self._pool, self._names = pool, names
        self._job: Job | None = None
        self._stopped = False
        self._starting = threading.Lock()

    def rate(self, player: str, games: int) -> None:
        name = self._names.name(player)
        with self._starting:
            if self._is_running():
                raise BusyError("another player is being rated: wait for it, or stop it")
            self._stopped = False
            options = ["--games", str(games), "--seed", str(SEED), "--json"]
            options += ["--pool", self._names.path(self._pool)]
            self._job = Job(["rate", name, *options], self._names.folder)

    def stop(self) -> None:
        self._stopped = True
        if is_taken(self._pool):
            request_stop(self._pool)
        elif self._job is not None and self._job.runs:
            self._job.end()

    def version(self) -> Hashable:
        changes = [changed_ns(path) for path in (self._pool, progress_path(self._pool))]
        return (*changes, self._is_running(), self._stopped)

    def data(self) -> LadderData:
        ladder = Ladder(self._pool, SEED)
        rated = {rating.player: self._shipped_row(rating) for rating in shipped_ratings()}
        for name, rating in ladder.ratings().items():
            rated[name] = self._row(ladder, name, rating)
        return {
            "players": sorted(rated.values(), key=lambda row: -row["elo"]),
            "scale": SCALE,
            "left_out": ladder.pool.left_out_text(),
            "rating": self._progress() if self._is_running() else None,
            "problem": None if self._stopped or self._job is None else self._job.problem(),
        }

    def _is_running(self) -> bool:
        return is_taken(self._pool) or (self._job is not None and self._job.runs)

    def _progress(self) -> RatingProgress:
        written = read_progress(self._pool)
        progress: RatingProgress = {}
        if "player" in written and "opponent" in written:
            progress["player"] = self._names.shown(str(written["player"]))
            progress["opponent"] = self._names.shown(str(written["opponent"]))
        games, done = number_of(written.get("games")), number_of(written.get("done"))
        if games is not None and done is not None:
            progress["games"], progress["done"] = int(games), int(done)
        if isinstance(known := written.get("known"), str):
            progress["known"] = known
        return progress

    def _row(self, ladder: Ladder, name: str, rating: Rating) -> RatedPlayer:
        shown, is_rung = self._names.shown(name), name in ladder.ruler.names
        return {
            "name": shown,
            "kind": "rung" if is_rung else "run" if shown.startswith(RUNS) else "other",
            "elo": round(rating.elo, 1),
            "low": None if rating.low is None else round(rating.low, 1),
            "high": None if rating.high is None else round(rating.high, 1),
            "games": rating.games,
        }

    def _shipped_row(self, rating: CardRating) -> RatedPlayer:
        return {
            "name": self._names.shown(rating.player),
            "kind": "shipped",
            "elo": rating.elo,
            "low": rating.low,
            "high": rating.high,
            "games": rating.games,
        }


class RatedName(TypedDict):
    player: str


def ladder_routes(ladder: LadderTopic) -> APIRouter:
    router = APIRouter(prefix="/api/ladder")

    @router.get("")
    def all_ratings() -> LadderData:
        return ladder.data()

    @router.post("/rate")
    def rate(new: NewRating) -> RatedName:
        ladder.rate(new.player, new.games)
        return {"player": new.player}

    @router.post("/stop")
    def stop() -> dict[str, str]:
        ladder.stop()
        return {}

    return router


# ---- strength over training time


ScoresOverTime = tuple[list[float], list[float]]  # seconds of training, scores


class LearningRow(TypedDict):
    """A run with evaluation matches, topic `learning`."""

    name: str
    learner: str
    scores: dict[str, ScoresOverTime]  # by opponent


class LearningTopic:
    """Read once for all tabs, and only what is new since the last look. Runs without evaluation
    matches are left out."""

    def __init__(self, runs: RunsFolder) -> None:
        self._runs = runs
        self._lock = threading.Lock()
        self._looked, self._version = -SECONDS_BETWEEN_LOOKS, 0
        self._histories: dict[tuple[str, str], _ScoreHistory] = {}  # by name and learner

    def version(self) -> Hashable:
        with self._lock:
            if time.monotonic() - self._looked >= SECONDS_BETWEEN_LOOKS:
                self._look()
                self._looked = time.monotonic()
            return self._version

    def data(self) -> list[LearningRow]:
        """The newest run first."""
        newest_first = [row["name"] for row in self._runs.data()]
        with self._lock:
            rows: dict[str, LearningRow] = {
                name: {"name": name, "learner": learner, "scores": dict(history.scores())}
                for (name, learner), history in self._histories.items()
            }
        return [rows[name] for name in newest_first if name in rows and rows[name]["scores"]]

    def _look(self) -> None:
        known = self._histories
        self._histories = {
            (run.path.name, run.learner): known.get((run.path.name, run.learner))
            or _ScoreHistory(run.path)
            for run in self._runs.runs()
        }
        changes = [history.read() for history in self._histories.values()]
        if any(changes) or known.keys() != self._histories.keys():
            self._version += 1


class _ScoreHistory:
    """The evaluation matches of one run, in curves of bounded length."""

    def __init__(self, path: Path) -> None:
        self._files = GrowingFiles(path / METRICS, path / TIMINGS)
        self._curves = Curves()

    def read(self) -> bool:
        """Whether there was anything new. A long history is read in parts."""
        is_void, (metrics, timings) = self._files.more()
        if is_void:
            self._curves = Curves()
        for line in metrics:
            matches = {key: line[key] for key in line if key.startswith((STEP, SCORE, PLIES))}
            self._curves.add_metrics(matches, STEP)
        for line in timings:
            self._curves.add_timing(line)
        return is_void or bool(metrics or timings)

    def scores(self) -> Iterator[tuple[str, ScoresOverTime]]:
        """By opponent. Evaluation matches record the games' length too; other scores do not."""
        curves = self._curves.data()
        metrics = curves["metrics"]
        for name in metrics:
            opponent = name.removeprefix(SCORE)
            if name.startswith(SCORE) and f"{PLIES}{opponent}" in metrics:
                points = zip(curves["seconds"], metrics[name], strict=True)
                known = [(round(at, 1), score) for at, score in points if score is not None]
                if known:
                    yield opponent, ([at for at, _ in known], [score for _, score in known])
