"""The Play view: games that are open in the lab, and the requests about them."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from selfmate.lab.errors import BusyError, NotFoundError
from selfmate.lab.game import Game, GameData, GameHint, Opponents, PersonsEnd
from selfmate.lab.game_record import ClockSetting, GameClock
from selfmate.lab.opponent import Opponent
from selfmate.lab.players import LabPlayers
from selfmate.rules import Board

MAX_GAMES = 50
NAME_BYTES = 12

PlayerText = Annotated[str, Field(min_length=1, max_length=200)]
MoveText = Annotated[str, Field(min_length=1, max_length=20)]


class NewGame(BaseModel):
    """`side` is the person's. One who watches sees `player` as White against `opponent`, or against
    itself. `moves` resume a game that the lab has forgotten; `ended` is how the person ended it."""

    model_config = ConfigDict(extra="forbid")

    player: PlayerText
    side: Literal["white", "black", "random", "watch"] = "random"
    opponent: PlayerText | None = None
    fen: Annotated[str, Field(max_length=200)] | None = None
    moves: list[MoveText] = Field(default=[], max_length=6000)
    ended: PersonsEnd | None = None
    clock: ClockSetting | None = None


class NewMove(BaseModel):
    model_config = ConfigDict(extra="forbid")

    move: MoveText


class Games:
    """The open games; when there are too many, the least recently used one is closed."""

    def __init__(self, players: LabPlayers, now: Callable[[], float] = time.monotonic) -> None:
        self._players, self._now = players, now
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._lock = Lock()

    def open(self, new: NewGame) -> Game:
        """ValueError or NotFoundError when it cannot be played."""
        start = _start_board(new.fen)
        if new.clock is not None and new.side == "watch":
            raise ValueError("a game that is only watched has no clock")
        clock = None if new.clock is None else GameClock(new.clock, self._now)
        game = Game(secrets.token_urlsafe(NAME_BYTES), self._opponents(new), start, clock)
        try:
            game.begin(tuple(new.moves), new.ended)
        except (ValueError, BusyError):
            game.close()
            raise
        self._add(game)
        return game

    def find(self, name: str) -> Game:
        with self._lock:
            if name not in self._games:
                raise NotFoundError("this game is no longer there")
            self._games.move_to_end(name)
            return self._games[name]

    def close(self) -> None:
        with self._lock:
            games = list(self._games.values())
            self._games.clear()
        for game in games:
            game.close()

    def _add(self, game: Game) -> None:
        with self._lock:
            self._games[game.name] = game
            too_many = len(self._games) - MAX_GAMES
            oldest = [self._games.popitem(last=False)[1] for _ in range(too_many)]
        for one in oldest:
            one.close()

    def _opponents(self, new: NewGame) -> Opponents:
        player = self._load(new.player)
        if new.side == "watch":
            return {"white": player, "black": self._load(new.opponent) if new.opponent else player}
        side = secrets.choice(("white", "black")) if new.side == "random" else new.side
        return {
            "white": None if side == "white" else player,
            "black": None if side == "black" else player,
        }

    def _load(self, name: str) -> Opponent:
        player = self._players.load(name)
        return Opponent(player, self._players.shown(player.name))


def _start_board(fen: str | None) -> Board:
    board = Board(fen.strip()) if fen and fen.strip() else Board()
    if board.outcome() is not None:
        raise ValueError("that position is the end of a game; choose one that can be played on")
    return board


def game_routes(games: Games) -> APIRouter:
    router = APIRouter(prefix="/api/games")

    @router.post("")
    def open_game(new: NewGame) -> GameData:
        return games.open(new).data()

    @router.get("/{name}")
    def game(name: str) -> GameData:
        return games.find(name).data()

    @router.post("/{name}/move")
    def move(name: str, new: NewMove) -> GameData:
        game = games.find(name)
        game.move(new.move)
        return game.data()

    @router.post("/{name}/hint")
    def hint(name: str) -> GameHint:
        return games.find(name).hint()

    for method in (Game.back, Game.draw, Game.resign, Game.step):
        path = f"/{{name}}/{method.__name__}"
        router.add_api_route(path, _endpoint(games, method), methods=["POST"])
    return router


def _endpoint(games: Games, method: Callable[[Game], None]) -> Callable[[str], GameData]:
    def call(name: str) -> GameData:
        game = games.find(name)
        method(game)
        return game.data()

    return call
