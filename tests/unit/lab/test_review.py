"""A review: what each move lost, by an evaluation of every position."""

from threading import Event
from typing import Any

import pytest

from selfmate.lab.analysis import Line
from selfmate.lab.errors import BusyError, NotFoundError
from selfmate.lab.review import Review, Reviews, evaluate, mark_of
from selfmate.players import load_player
from selfmate.rules import Board
from unit.lab.opponents import SECONDS, FailingPlayer, Players, SlowPlayer
from unit.lab.topic_data import data_of

FOOLS_MATE = ["f2f3", "e7e5", "g2g4", "d8h4"]
TEACHER = "teacher:depth=2"


def finished(review: Review) -> Any:
    waited = Event()
    for _ in range(100 * SECONDS):
        if not review.runs:
            return data_of(review)
        waited.wait(0.01)
    raise AssertionError("the review did not end in time")


def test_the_blunder_is_found_with_what_was_better(players: Players) -> None:
    review = finished(Reviews(players, TEACHER).open(Line(moves=FOOLS_MATE)))
    assert (review["by"], review["problem"]) == (TEACHER, None)
    assert review["done"] == len(review["positions"]) == 5
    start, _, _, blunder, mate = review["positions"]
    assert (start["move"], start["loss"]) == (None, None)
    assert blunder["san"] == "g4"
    assert blunder["mark"] == "blunder"
    assert blunder["loss"] > 0.3
    assert blunder["best"]["san"] == "Qh4#"  # in the position after it
    assert mate["best"] is None
    assert (mate["white_points"], mate["loss"], mate["mark"]) == (0.0, 0.0, None)
    assert review["white"]["blunders"] == 1
    assert review["black"]["blunders"] == 0
    assert review["opening"] == "Barnes Opening"


def test_the_end_of_a_game_is_worth_what_the_rules_say() -> None:
    teacher = load_player(TEACHER)
    stalemate = Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert evaluate(teacher, stalemate, Event()).points == 0.5
    mated = Board("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
    assert evaluate(teacher, mated, Event()).points == 0.0


@pytest.mark.parametrize(
    ("loss", "mark"), [(0.0, None), (0.06, "inaccuracy"), (0.1, "mistake"), (0.9, "blunder")]
)
def test_marks_follow_the_loss(loss: float, mark: str | None) -> None:
    assert mark_of(loss) == mark


def test_a_game_is_reviewed_once_and_found_by_its_name(players: Players) -> None:
    reviews = Reviews(players, TEACHER)
    review = reviews.open(Line(moves=FOOLS_MATE))
    assert reviews.open(Line(moves=FOOLS_MATE)) is review
    assert reviews.find(review.name) is review
    with pytest.raises(NotFoundError):
        reviews.find("another")


def test_an_illegal_move_is_refused(players: Players) -> None:
    with pytest.raises(ValueError, match="e2e5"):
        Reviews(players, TEACHER).open(Line(moves=["e2e5"]))


def test_a_player_that_fails_is_named_and_may_be_asked_again(players: Players) -> None:
    players.brought["failing"] = FailingPlayer()
    reviews = Reviews(players, "failing")
    first = reviews.open(Line(moves=["e2e4"]))
    assert "full of holes" in finished(first)["problem"]
    assert reviews.open(Line(moves=["e2e4"])) is not first


def test_a_player_without_judgement_cannot_review(players: Players) -> None:
    review = finished(Reviews(players, "random").open(Line(moves=["e2e4"])))
    assert review["problem"] == "random could not go on: random does not judge positions"


def test_few_reviews_run_at_once_and_closing_stops_them(players: Players) -> None:
    slow = [SlowPlayer(), SlowPlayer()]
    reviews = Reviews(players, "slow")
    running = []
    for player, move in zip(slow, ("e2e4", "d2d4"), strict=True):
        players.brought["slow"] = player
        running.append(reviews.open(Line(moves=[move])))
    with pytest.raises(BusyError, match="2 games are being reviewed"):
        reviews.open(Line(moves=["c2c4"]))
    reviews.close()
    for player in slow:
        assert player.closed.wait(SECONDS)
