"""Games in the lab: what a person can do, whatever the player does meanwhile."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfmate.lab.errors import BusyError
from selfmate.lab.play import Games, NewGame
from selfmate.rules import Board
from selfmate.searches.sampling import random_choices
from unit.lab.opponents import (
    SECONDS,
    CheatingPlayer,
    FailingPlayer,
    Players,
    SeededPlayer,
    SlowPlayer,
    settled,
)
from unit.lab.topic_data import data_of

BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
A_QUEEN_BEHIND = "3qk3/8/8/8/8/8/8/K7 w - - 0 1"
PAWN_ARRIVES = "8/4P3/8/8/8/k7/8/K7 w - - 0 1"


def sans(state: dict[str, Any]) -> list[str]:
    return [ply["san"] for ply in state["moves"]]


def test_a_move_is_answered_and_both_are_shown(games: Games) -> None:
    game = games.open(NewGame(player="teacher:depth=2", side="white"))
    before = game.version()
    game.move("Nf3")
    state = settled(game)
    assert game.version() != before
    assert state["person"] == "white"
    assert state["names"] == {"white": "Human", "black": "teacher:depth=2"}
    assert len(state["moves"]) == 2
    assert state["moves"][0] | {"analysis": None} == state["moves"][0]
    analysis = state["moves"][1]["analysis"]
    assert analysis["san"] == analysis["line"][0] == state["moves"][1]["san"]
    assert analysis["judgement"]
    assert -1 <= analysis["value"] <= 1
    assert analysis["considered"][0]["san"] == analysis["san"]


def test_the_player_begins_when_the_person_is_black(games: Games) -> None:
    state = settled(games.open(NewGame(player="random", side="black")))
    assert state["person"] == "black"
    assert len(state["moves"]) == 1
    assert state["turn"] == "black"


def test_either_side_is_one_of_the_two(games: Games) -> None:
    sides = {games.open(NewGame(player="random", side="random")).person for _ in range(40)}
    assert sides == {"white", "black"}


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_any_legal_play_is_what_the_rule_book_says(data: st.DataObject) -> None:
    players = Players()
    players.brought["seeded"] = SeededPlayer(data.draw(st.integers(0, 2**32)))
    games = Games(players)
    game = games.open(NewGame(player="seeded", side="white"))
    for _ in range(data.draw(st.integers(1, 12))):
        state = settled(game)
        board = Board(state["start"]["fen"])
        for ply in state["moves"]:
            assert ply["san"] == board.san(ply["move"])
            board.push(ply["move"])
            assert (ply["fen"], ply["check"]) == (board.fen(), board.is_check())
        if state["end"] is not None:
            break
        moves = board.legal_moves()
        assert {move[:4] for move in moves} == {
            origin + to for origin, squares in state["destinations"].items() for to in squares
        }
        assert {move[:4] for move in moves if len(move) == 5} == set(state["promotions"])
        assert state["legal"] == {move: board.san(move) for move in moves}
        move = data.draw(st.sampled_from(moves))
        game.move(data.draw(st.sampled_from([move, board.san(move)])))
    games.close()


@pytest.mark.parametrize("text", ["g1f3", "Nf3", "nf3", " Nf3 ", "Nf3!?", "Ng1f3"])
def test_moves_are_read_as_people_type_them(games: Games, text: str) -> None:
    game = games.open(NewGame(player="random", side="white"))
    game.move(text)
    assert data_of(game)["moves"][0]["move"] == "g1f3"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("e2e5", "'e2e5' is not possible here; moves look like Nf3 or g1f3"),
        ("hello", "'hello' is not possible here; moves look like Nf3 or g1f3"),
        ("e7e8", "this pawn promotes: e7e8q promotes to a queen"),
    ],
)
def test_a_wrong_move_is_a_sentence_and_changes_nothing(
    games: Games, text: str, sentence: str
) -> None:
    game = games.open(NewGame(player="random", side="white", fen=PAWN_ARRIVES))
    before = data_of(game)
    with pytest.raises(ValueError, match="^" + sentence.replace("'", ".")):
        game.move(text)
    assert data_of(game) == before


@pytest.mark.parametrize(
    ("text", "piece"), [("e7e8n", "N"), ("e8=R", "R"), ("e8=q", "Q"), ("e8=B+", "B")]
)
def test_a_pawn_becomes_what_was_chosen(games: Games, text: str, piece: str) -> None:
    game = games.open(NewGame(player="random", side="white", fen=PAWN_ARRIVES))
    assert data_of(game)["promotions"] == ["e7e8"]
    assert data_of(game)["destinations"]["e7"] == ["e8"]
    game.move(text)
    assert data_of(game)["moves"][0]["fen"].startswith(f"4{piece}3/")


def test_mate_ends_the_game_in_words(games: Games) -> None:
    game = games.open(NewGame(player="random", side="white", fen=BACK_RANK))
    game.move("Ra8")
    state = data_of(game)
    assert state["end"]["words"] == "You won by checkmate."
    assert (state["end"]["score"], state["end"]["winner"]) == ("1-0", "white")
    assert state["destinations"] == {}
    assert not state["thinking"]
    with pytest.raises(BusyError, match="this game is over"):
        game.move("Kf1")
    game.back()
    assert data_of(game)["end"] is None
    assert data_of(game)["moves"] == []


def test_taking_back_takes_the_answer_with_it(games: Games) -> None:
    game = games.open(NewGame(player="random", side="white"))
    with pytest.raises(ValueError, match="no move of yours"):
        game.back()
    for move in ("e4", "a3", "b3"):
        game.move(move)
        state = settled(game)
        assert len(state["moves"]) % 2 == 0
        if state["end"]:
            break
    game.back()
    state = data_of(game)
    assert state["turn"] == "white"
    assert state["moves"][-1]["side"] == "black"
    assert [ply["san"] for ply in state["moves"] if ply["side"] == "white"] == ["e4", "a3"]


def test_taking_back_while_the_player_thinks(games: Games, players: Players) -> None:
    slow = players.brought["slow"] = SlowPlayer()
    game = games.open(NewGame(player="slow", side="white"))
    game.move("e4")
    assert data_of(game)["thinking"]
    with pytest.raises(BusyError, match="it is not your move"):
        game.move("d4")
    assert slow.asked.wait(SECONDS)
    game.back()
    assert slow.stopped.wait(SECONDS)
    state = settled(game)
    assert state["moves"] == []
    game.move("d4")  # the answer to e4 is not taken for one to d4
    assert sans(data_of(game)) == ["d4"]


def test_a_black_person_cannot_take_back_whites_first_move(games: Games) -> None:
    game = games.open(NewGame(player="random", side="black"))
    settled(game)
    with pytest.raises(ValueError, match="no move of yours"):
        game.back()


def test_resigning_stops_the_player(games: Games, players: Players) -> None:
    slow = players.brought["slow"] = SlowPlayer()
    game = games.open(NewGame(player="slow", side="black"))
    game.resign()
    assert slow.stopped.wait(SECONDS)
    state = settled(game)
    assert state["end"]["words"] == "You resigned."
    assert state["end"]["score"] == "1-0"
    assert state["moves"] == []
    with pytest.raises(BusyError, match="You resigned"):
        game.resign()


def test_a_player_that_fails_is_a_sentence_and_can_be_asked_again(
    games: Games, players: Players
) -> None:
    failing = players.brought["failing"] = FailingPlayer()
    game = games.open(NewGame(player="failing", side="white"))
    game.move("e4")
    state = settled(game)
    assert state["problem"] == "failing could not move: the net is full of holes"
    assert state["end"] is None
    failing.fails = False
    game.step()
    state = settled(game)
    assert state["problem"] is None
    assert len(state["moves"]) == 2
    with pytest.raises(BusyError, match="it is your move"):
        game.step()


def test_a_player_that_cheats_has_not_moved(games: Games, players: Players) -> None:
    players.brought["cheat"] = CheatingPlayer("cheat", random_choices)
    game = games.open(NewGame(player="cheat", side="white"))
    game.move("e4")
    state = settled(game)
    assert "cheat could not move" in state["problem"]
    assert len(state["moves"]) == 1


def test_hints_come_from_the_player_or_else_from_the_teacher(games: Games) -> None:
    for player, adviser in (("teacher:depth=1", "teacher:depth=1"), ("random", "teacher:depth=3")):
        game = games.open(NewGame(player=player, side="white", fen=BACK_RANK))
        hint = game.hint()
        assert hint == {
            "plies": 0,
            "by": adviser,
            "move": "a1a8",
            "san": "Ra8#",
            "judgement": "mate in 1",
        }


def test_a_watched_game_goes_step_by_step_to_its_end(games: Games) -> None:
    game = games.open(
        NewGame(player="teacher:depth=1", opponent="random", side="watch", fen=BACK_RANK)
    )
    state = data_of(game)
    assert state["person"] is None
    assert state["names"] == {"white": "teacher:depth=1", "black": "random"}
    assert (state["thinking"], state["destinations"]) == (False, {})
    game.step()
    state = settled(game)
    assert sans(state) == ["Ra8#"]
    assert state["end"]["words"] == "White won by checkmate."
    with pytest.raises(BusyError):
        game.step()
    with pytest.raises(ValueError, match="only watched"):
        games.open(NewGame(player="random", side="watch")).resign()


def test_a_player_watched_against_itself_sits_on_both_sides(games: Games) -> None:
    game = games.open(NewGame(player="greedy", side="watch"))
    for plies in (1, 2, 3):
        game.step()
        assert len(settled(game)["moves"]) == plies


def test_the_teachers_mates_are_in_words(games: Games) -> None:
    game = games.open(
        NewGame(player="teacher:depth=1", side="black", fen="7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    )
    state = settled(game)
    assert state["moves"][0]["analysis"]["judgement"] == "mate in 1"
    assert state["moves"][0]["analysis"]["value"] == 1
    assert state["end"]["words"] == "You lost by checkmate."


def test_a_player_that_stands_no_better_accepts_a_draw(games: Games) -> None:
    game = games.open(NewGame(player="teacher:depth=2", side="white", fen=BACK_RANK))
    game.draw()
    state = settled(game)
    assert state["end"]["words"] == "Draw by agreement."
    assert (state["end"]["score"], state["end"]["winner"]) == ("1/2-1/2", None)
    assert '[Termination "agreement"]' in state["pgn"]


def test_a_player_that_stands_better_declines_and_is_not_asked_twice(games: Games) -> None:
    game = games.open(NewGame(player="random", side="white", fen=A_QUEEN_BEHIND))
    game.draw()
    state = settled(game)
    assert state["end"] is None
    assert state["draw_declined"]
    with pytest.raises(BusyError, match="move before you offer a draw again"):
        game.draw()
    game.move("Kb1")
    assert not settled(game)["draw_declined"]


@pytest.mark.parametrize(
    ("ended", "words"), [("resignation", "You resigned."), ("agreement", "Draw by agreement.")]
)
def test_a_resumed_game_ends_as_it_did(games: Games, ended: Any, words: str) -> None:
    new = NewGame(player="random", side="white", moves=["e2e4", "e7e5"], ended=ended)
    assert settled(games.open(new))["end"]["words"] == words


def test_the_opening_is_named_in_the_game_and_its_pgn(games: Games) -> None:
    moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"]
    state = settled(games.open(NewGame(player="random", side="white", moves=moves)))
    assert state["opening"] == "Ruy Lopez, Morphy Defence"
    assert '[Opening "Ruy Lopez, Morphy Defence"]' in state["pgn"]
