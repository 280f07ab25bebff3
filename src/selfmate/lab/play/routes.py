"""The games of the lab and what a page may ask of them."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from selfmate.lab.errors import NotThereError
from selfmate.lab.play.clocks import ClockSetting, GameClock
from selfmate.lab.play.games import Game, Seats
from selfmate.lab.play.seats import Seat
from selfmate.lab.players import LabPlayers
from selfmate.rules import Board

MOST_GAMES = 50
NAME_BYTES = 12

PlayerText = Annotated[str, Field(min_length=1, max_length=200)]
MoveText = Annotated[str, Field(min_length=1, max_length=20)]


class NewGame(BaseModel):
    """The side is the person's. Who only watches sees `player` as White against `opponent`, or
    against itself. With `moves` a game goes on that the lab has forgotten."""

    model_config = ConfigDict(extra="forbid")

    player: PlayerText
    side: Literal["white", "black", "random", "watch"] = "random"
    opponent: PlayerText | None = None
    fen: Annotated[str, Field(max_length=200)] | None = None
    moves: list[MoveText] = Field(default=[], max_length=6000)
    clock: ClockSetting | None = None


class NewMove(BaseModel):
    model_config = ConfigDict(extra="forbid")

    move: MoveText


class Games:
    """Those that somebody may look at; of too many, the one least looked at is closed."""

    def __init__(self, players: LabPlayers, now: Callable[[], float] = time.monotonic) -> None:
        self._players, self._now = players, now
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._lock = Lock()

    def open(self, new: NewGame) -> Game:
        """ValueError or NotThereError when it cannot be played."""
        start = _start(new.fen)
        if new.clock is not None and new.side == "watch":
            raise ValueError("a game that is only watched has no clock")
        clock = None if new.clock is None else GameClock(new.clock, self._now)
        game = Game(secrets.token_urlsafe(NAME_BYTES), self._seats(new), start, clock)
        try:
            game.begin(tuple(new.moves))
        except ValueError:
            game.close()
            raise
        self._keep(game)
        return game

    def find(self, name: str) -> Game:
        with self._lock:
            if name not in self._games:
                raise NotThereError("this game is no longer there")
            self._games.move_to_end(name)
            return self._games[name]

    def close(self) -> None:
        with self._lock:
            games = list(self._games.values())
            self._games.clear()
        for game in games:
            game.close()

    def _keep(self, game: Game) -> None:
        with self._lock:
            self._games[game.name] = game
            spare = [
                self._games.popitem(last=False)[1] for _ in range(len(self._games) - MOST_GAMES)
            ]
        for one in spare:
            one.close()

    def _seats(self, new: NewGame) -> Seats:
        player = self._seat(new.player)
        if new.side == "watch":
            return {"white": player, "black": self._seat(new.opponent) if new.opponent else player}
        side = secrets.choice(("white", "black")) if new.side == "random" else new.side
        return {
            "white": None if side == "white" else player,
            "black": None if side == "black" else player,
        }

    def _seat(self, name: str) -> Seat:
        player = self._players.load(name)
        return Seat(player, self._players.shown(player.name))


def _start(fen: str | None) -> Board:
    board = Board(fen.strip()) if fen and fen.strip() else Board()
    if board.outcome() is not None:
        raise ValueError("that position is the end of a game; choose one that can be played on")
    return board


def game_routes(games: Games) -> APIRouter:
    router = APIRouter(prefix="/api/games")

    @router.post("")
    def open_game(new: NewGame) -> dict[str, Any]:
        return games.open(new).data()

    @router.get("/{name}")
    def look(name: str) -> dict[str, Any]:
        return games.find(name).data()

    @router.post("/{name}/move")
    def move(name: str, new: NewMove) -> dict[str, Any]:
        game = games.find(name)
        game.move(new.move)
        return game.data()

    @router.post("/{name}/hint")
    def hint(name: str) -> dict[str, Any]:
        return games.find(name).hint()

    for verb in (Game.back, Game.resign, Game.step):
        router.add_api_route(f"/{{name}}/{verb.__name__}", _doing(games, verb), methods=["POST"])
    return router


def _doing(games: Games, verb: Callable[[Game], None]) -> Callable[[str], dict[str, Any]]:
    def do(name: str) -> dict[str, Any]:
        game = games.find(name)
        verb(game)
        return game.data()

    return do
