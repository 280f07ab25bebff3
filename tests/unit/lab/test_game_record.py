"""The clock of a game, and what it does to the game."""

from typing import Any

import pytest

from selfmate.lab.errors import BusyError
from selfmate.lab.game import Game
from selfmate.lab.game_record import ClockSetting
from selfmate.lab.play import Games, NewGame
from unit.lab.opponents import Players, SlowPlayer, Watch, settled
from unit.lab.topic_data import data_of


def opened(games: Games, players: Players, **new: Any) -> Game:
    players.brought["slow"] = SlowPlayer()
    clock = ClockSetting(minutes=1, increment_seconds=5)
    return games.open(NewGame.model_validate({"player": "slow", "clock": clock} | new))


def test_times_run_grow_and_are_given_back(games: Games, players: Players, watch: Watch) -> None:
    game = opened(games, players, player="random", side="white")
    watch.seconds += 100  # nothing runs before the first move
    game.move("e4")
    settled(game)
    assert data_of(game)["clock"]["running"] == "white"
    before = data_of(game)["clock"]["left_seconds"]
    watch.seconds += 10
    game.move("a3")
    state = settled(game)
    assert state["clock"]["left_seconds"]["white"] == before["white"] - 10 + 5
    game.back()
    assert data_of(game)["clock"]["left_seconds"] == before


def test_the_person_loses_on_time(games: Games, players: Players, watch: Watch) -> None:
    game = opened(games, players, player="random", side="white")
    game.move("e4")
    settled(game)
    before = game.version()
    watch.seconds += 60.1
    assert game.version() != before  # whoever follows the game hears of it
    assert data_of(game)["end"]["words"] == "You lost on time."
    with pytest.raises(BusyError, match="on time"):
        game.move("d4")


def test_the_player_loses_on_time(games: Games, players: Players, watch: Watch) -> None:
    game = opened(games, players, side="white")
    game.move("e4")
    watch.seconds += 60.1
    assert data_of(game)["end"]["words"] == "You won on time."
    assert not data_of(game)["thinking"]


def test_a_bare_king_does_not_win_on_time(games: Games, players: Players, watch: Watch) -> None:
    fen = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"
    game = opened(games, players, side="black", fen=fen, moves=["e3d4", "e6d6"])
    watch.seconds += 60.1
    assert data_of(game)["end"]["score"] == "1/2-1/2"


def test_a_player_is_stopped_when_its_share_of_time_is_used(games: Games, players: Players) -> None:
    clock = ClockSetting(minutes=1, left_seconds=(60, 0.1))
    players.brought["slow"] = SlowPlayer()
    game = games.open(NewGame(player="slow", side="white", clock=clock))
    game.move("e4")
    assert len(settled(game)["moves"]) == 2


def test_a_restored_game_has_its_times(games: Games, players: Players) -> None:
    clock = ClockSetting(minutes=1, left_seconds=(30, 20))
    game = games.open(NewGame(player="random", side="white", clock=clock, moves=["e2e4", "e7e5"]))
    assert data_of(game)["clock"]["left_seconds"] == {"white": 30, "black": 20}
