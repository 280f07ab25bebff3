"""The games that the lab keeps: opened, found, restored, closed; and their PGN."""

import io

import chess.pgn
import pytest

from selfmate.lab.errors import NotFoundError
from selfmate.lab.game_record import ClockSetting
from selfmate.lab.play import MAX_GAMES, Games, NewGame
from unit.lab.opponents import Players, SlowPlayer, settled
from unit.lab.topic_data import data_of

BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


def test_a_forgotten_game_resumes_from_its_moves(games: Games) -> None:
    game = games.open(NewGame(player="random", side="white", moves=["e2e4", "e7e5"]))
    assert [ply["san"] for ply in data_of(game)["moves"]] == ["e4", "e5"]
    game.move("Nf3")
    waiting = games.open(NewGame(player="random", side="white", moves=["e2e4"]))
    assert len(settled(waiting)["moves"]) == 2  # it was the player's move
    with pytest.raises(ValueError, match="illegal move 'e2e5'"):
        games.open(NewGame(player="random", moves=["e2e5"]))


@pytest.mark.parametrize(
    ("new", "sentence"),
    [
        (NewGame(player="nobody"), "the lab has no player 'nobody'"),
        (NewGame(player="uci:path=/bin/true"), "the lab has no player"),
        (NewGame(player="random", fen="nonsense"), "bad FEN"),
        (NewGame(player="random", fen="7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), "the end of a game"),
        (
            NewGame(player="random", side="watch", clock=ClockSetting(minutes=1)),
            "only watched has no clock",
        ),
    ],
)
def test_what_cannot_be_played_is_a_sentence(games: Games, new: NewGame, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        games.open(new)


def test_pgn_is_the_game_as_others_read_it(games: Games) -> None:
    game = games.open(
        NewGame(
            player="teacher:depth=1",
            side="white",
            fen=BACK_RANK,
            clock=ClockSetting(minutes=3, increment_seconds=2),
        )
    )
    unfinished = chess.pgn.read_game(io.StringIO(data_of(game)["pgn"]))
    assert unfinished is not None
    assert unfinished.headers["Result"] == "*"
    game.move("Ra8#")
    read = chess.pgn.read_game(io.StringIO(data_of(game)["pgn"]))
    assert read is not None
    assert not read.errors
    assert [move.uci() for move in read.mainline_moves()] == ["a1a8"]
    expected = {
        "Event": "Selfmate lab",
        "White": "Human",
        "Black": "teacher:depth=1",
        "Result": "1-0",
        "TimeControl": "180+2",
        "Termination": "checkmate",
        "FEN": BACK_RANK,
    }
    assert expected.items() <= dict(read.headers).items()


def test_too_many_games_close_the_one_least_looked_at(games: Games, players: Players) -> None:
    first, second = SlowPlayer(), SlowPlayer()
    players.brought |= {"first": first, "second": second}
    looked_at = games.open(NewGame(player="first", side="black"))
    forgotten = games.open(NewGame(player="second", side="black"))
    for _ in range(MAX_GAMES - 1):
        assert games.find(looked_at.name) is looked_at
        games.open(NewGame(player="random", side="white"))
    with pytest.raises(NotFoundError, match="no longer there"):
        games.find(forgotten.name)
    assert second.closed.is_set()
    assert not first.closed.is_set()
    games.close()
    assert first.closed.is_set()


def test_names_of_games_cannot_be_guessed(games: Games) -> None:
    names = {games.open(NewGame(player="random", side="white")).name for _ in range(10)}
    assert len(names) == 10
    assert all(len(name) >= 16 for name in names)
