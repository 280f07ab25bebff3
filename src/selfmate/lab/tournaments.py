"""Tournaments in the Match view: everybody against everybody, as matches that are played in turn.

A tournament is a small file that names its players and settings; its games are those of ordinary
matches. So nothing is lost when the lab ends: a tournament that was running is resumed by the next
lab.
"""

import re
import threading
from collections.abc import Hashable, Iterator
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from selfmate.arena.match import DEFAULT_MAX_PLIES
from selfmate.arena.match_run import MatchSettings, log_path, match_conditions
from selfmate.lab.errors import BusyError, NotFoundError
from selfmate.lab.matches import Matches
from selfmate.lab.players import CommandLineNames
from selfmate.runs import free_name
from selfmate.runs.files import replace_file

MAX_PLAYERS = 12
MAX_GAMES = 1_000  # of a pair
SECONDS_BETWEEN_LOOKS = 0.5
NAME = re.compile(r"tournament-[0-9]{1,6}")

PlayerName = Annotated[str, Field(max_length=300)]
TournamentState = Literal["running", "stopped", "finished", "failed"]


class Tournament(BaseModel):
    """The contents of a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    players: tuple[PlayerName, ...]  # full names, as they are typed in the folder above the runs
    games: int  # of each pair
    seed: int
    max_plies: int
    stopped: bool = False
    problem: str | None = None

    @property
    def settings(self) -> MatchSettings:
        return MatchSettings(games=self.games, seed=self.seed, max_plies=self.max_plies)


class NewTournament(BaseModel):
    """It gets the first seed with which none of its pairs has played yet."""

    model_config = ConfigDict(extra="forbid")

    players: list[PlayerName] = Field(min_length=3, max_length=MAX_PLAYERS)
    games: Annotated[int, Field(ge=2, le=MAX_GAMES)] = 10
    max_plies: Annotated[int, Field(ge=1, le=2000)] = DEFAULT_MAX_PLIES


class CrossCell(TypedDict):
    """One player's results against another."""

    match: str | None  # None: not begun
    points: float
    games: int


class Standing(TypedDict):
    player: str
    points: float
    games: int
    cells: list[CrossCell | None]  # against each player in the order of the table; None: itself


class TournamentRow(TypedDict):
    """A tournament in the list, topic `tournaments`."""

    id: str
    players: list[str]
    state: TournamentState
    done: int
    total: int


class TournamentData(TournamentRow):
    """The topic `tournament:ID`; the leader first."""

    problem: str | None
    games: int  # of each pair
    table: list[Standing]


class Tournaments:
    """A topic as well. One match is played at a time."""

    def __init__(self, folder: Path, matches: Matches, names: CommandLineNames) -> None:
        self.folder = folder
        self._matches, self._names = matches, names
        self._lock = threading.Lock()
        self._closing, self._changed = threading.Event(), threading.Event()
        self._driver: threading.Thread | None = None

    def close(self) -> None:
        """The match that is being played goes on; the next one waits for the next lab."""
        self._closing.set()
        self._changed.set()

    def drive(self) -> None:
        """Plays what is not finished, in a thread of its own."""
        with self._lock:
            if self._driver is None and any(self._unfinished()):
                self._driver = threading.Thread(target=self._play_all, daemon=True)
                self._driver.start()
        self._changed.set()

    def start(self, new: NewTournament) -> str:
        """ValueError when a player cannot be loaded or is named twice."""
        players = tuple(self._names.name(name) for name in new.players)
        if len(set(players)) < len(players):
            raise ValueError("every player of a tournament is named once")
        with self._lock:
            tournament = self._planned(players, new)
            self.folder.mkdir(parents=True, exist_ok=True)
            taken = [path.stem for path in self.folder.glob("*.json")]
            name = free_name(self.folder, "tournament-", taken)
            self._write(name, tournament)
        self.drive()
        return name

    def _planned(self, players: tuple[str, ...], new: NewTournament) -> Tournament:
        games, seed = new.games + new.games % 2, 1
        while True:
            planned = Tournament(players=players, games=games, seed=seed, max_plies=new.max_plies)
            if not any(self._log(planned, pair).exists() for pair in combinations(players, 2)):
                return planned
            seed += 1

    def stop(self, name: str) -> None:
        tournament = self._read(name)
        self._write(name, tournament.model_copy(update={"stopped": True}))
        for pair in combinations(tournament.players, 2):
            path = self._log(tournament, pair)
            if path.exists():
                self._matches.stop(path.stem)

    def resume(self, name: str) -> None:
        tournament = self._read(name)
        if self.data_of(name)["state"] in ("running", "finished"):
            raise BusyError("this tournament is running or finished already")
        self._write(name, tournament.model_copy(update={"stopped": False, "problem": None}))
        self.drive()

    # ---- topics

    def version(self) -> Hashable:
        return tuple((name, self.version_of(name)) for name in self._ids())

    def data(self) -> list[TournamentRow]:
        """The newest first."""
        rows = [self.data_of(name) for name in reversed(self._ids())]
        return [
            {
                "id": row["id"],
                "players": row["players"],
                "state": row["state"],
                "done": row["done"],
                "total": row["total"],
            }
            for row in rows
        ]

    def version_of(self, name: str) -> Hashable:
        tournament = self._read(name)
        logs = [self._log(tournament, pair) for pair in combinations(tournament.players, 2)]
        return tournament, tuple(self._matches.change(log) for log in logs if log.exists())

    def data_of(self, name: str) -> TournamentData:
        tournament = self._read(name)
        table = self._table(tournament)
        done = sum(standing["games"] for standing in table) // 2
        pairs = len(tournament.players) * (len(tournament.players) - 1) // 2
        return {
            "id": name,
            "players": [self._names.shown(player) for player in tournament.players],
            "state": _state(tournament, done >= pairs * tournament.games),
            "done": done,
            "total": pairs * tournament.games,
            "problem": tournament.problem,
            "games": tournament.games,
            "table": table,
        }

    def _table(self, tournament: Tournament) -> list[Standing]:
        players = tournament.players
        cells: dict[tuple[str, str], CrossCell] = {}
        for a, b in combinations(players, 2):
            cell = self._cell(tournament, (a, b))
            cells[a, b] = cell
            cells[b, a] = {**cell, "points": cell["games"] - cell["points"]}
        points = {
            one: sum(cells[one, other]["points"] for other in players if other != one)
            for one in players
        }
        order = sorted(players, key=lambda one: -points[one])
        return [
            {
                "player": self._names.shown(one),
                "points": points[one],
                "games": sum(cells[one, other]["games"] for other in players if other != one),
                "cells": [None if other == one else cells[one, other] for other in order],
            }
            for one in order
        ]

    def _cell(self, tournament: Tournament, pair: tuple[str, str]) -> CrossCell:
        path = self._log(tournament, pair)
        if not path.exists():
            return {"match": None, "points": 0.0, "games": 0}
        report = self._matches.file(path.stem).score.report()
        games = report.wins + report.draws + report.losses
        return {
            "match": path.stem,
            "points": report.wins + report.draws / 2,
            "games": games,
        }

    # ---- files

    def _ids(self) -> list[str]:
        found = [path.stem for path in self.folder.glob("*.json") if NAME.fullmatch(path.stem)]
        return sorted(found, key=lambda name: int(name.rpartition("-")[2]))

    def _read(self, name: str) -> Tournament:
        if name not in self._ids():
            raise NotFoundError(f"there is no tournament {name[:80]!r}")
        try:
            return Tournament.model_validate_json((self.folder / f"{name}.json").read_bytes())
        except ValidationError as error:
            raise ValueError(f"{name}.json is damaged") from error

    def _write(self, name: str, tournament: Tournament) -> None:
        content = tournament.model_dump_json(indent=1).encode()
        replace_file(self.folder / f"{name}.json", content)

    def _log(self, tournament: Tournament, pair: tuple[str, str]) -> Path:
        return _log_path(self._matches.folder, pair, tournament.settings)

    # ---- the driver

    def _unfinished(self) -> Iterator[str]:
        for name in self._ids():
            try:
                if self.data_of(name)["state"] == "running":
                    yield name
            except (ValueError, LookupError, OSError):  # damaged: the page says so
                continue

    def _play_all(self) -> None:
        while not self._closing.is_set():
            name = next(self._unfinished(), None)
            if name is None:
                self._changed.wait()
                self._changed.clear()
                continue
            try:
                self._play_next(name)
            except BusyError:  # other matches are being played
                self._closing.wait(SECONDS_BETWEEN_LOOKS)
            except Exception as error:  # a player may be gone, or fail in any way
                self._fail(name, str(error))

    def _play_next(self, name: str) -> None:
        """The first match that is not over, to its end."""
        tournament = self._read(name)
        for pair in combinations(tournament.players, 2):
            path = self._log(tournament, pair)
            if path.exists() and self._matches.file(path.stem).score.over:
                continue
            match = path.stem
            if not (path.exists() and self._is_playing(match)):
                a, b = (self._names.shown(player) for player in pair)
                match = self._matches.start(a, b, tournament.settings, new_seed=False)
            while self._is_playing(match) and not self._closing.is_set():
                self._closing.wait(SECONDS_BETWEEN_LOOKS)
            if self._closing.is_set():
                return
            ended = self._matches.file(match)
            if not ended.score.over and not self._read(name).stopped:
                self._fail(name, self._matches.problem(ended) or "a match was stopped")
            return

    def _is_playing(self, match: str) -> bool:
        return self._matches.state(self._matches.file(match)) in ("running", "starting")

    def _fail(self, name: str, problem: str) -> None:
        self._write(name, self._read(name).model_copy(update={"problem": problem}))


@lru_cache(maxsize=1000)
def _log_path(folder: Path, pair: tuple[str, str], settings: MatchSettings) -> Path:
    """Remembered, because it takes a digest of all openings."""
    return log_path(folder, match_conditions(pair, settings))


def _state(tournament: Tournament, is_over: bool) -> TournamentState:
    if is_over:
        return "finished"
    if tournament.problem is not None:
        return "failed"
    return "stopped" if tournament.stopped else "running"


class TournamentTopic:
    def __init__(self, tournaments: Tournaments, name: str) -> None:
        self._tournaments, self._name = tournaments, name

    def version(self) -> Hashable:
        return self._tournaments.version_of(self._name)

    def data(self) -> TournamentData:
        return self._tournaments.data_of(self._name)


class TournamentId(TypedDict):
    id: str


def tournament_routes(tournaments: Tournaments) -> APIRouter:
    router = APIRouter(prefix="/api/tournaments")

    @router.post("")
    def start(new: NewTournament) -> TournamentId:
        return {"id": tournaments.start(new)}

    @router.post("/{name}/stop")
    def stop(name: str) -> TournamentId:
        tournaments.stop(name)
        return {"id": name}

    @router.post("/{name}/resume")
    def resume(name: str) -> TournamentId:
        tournaments.resume(name)
        return {"id": name}

    return router
