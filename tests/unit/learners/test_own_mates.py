"""Games that start shortly before the mates of the run's own games."""

import numpy as np
import pytest

from selfmate.learners.searchless.mates import GROW_AT, MAX_MATES, MAX_PLIES, OwnMates
from selfmate.rules import Board
from selfmate.runs import restore

FOOLS_MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


def board_after(*moves: str, fen: str | None = None) -> Board:
    board = Board(fen)
    for move in moves:
        board.push(move)
    return board


def mates(plies: int) -> OwnMates:
    found = OwnMates()
    found.add([board_after(*FOOLS_MATE)])
    while found.plies < plies:
        found.judge(1.0)
    assert found.plies == plies
    return found


def starts(found: OwnMates, count: int = 60) -> set[str]:
    rng = np.random.default_rng(1)
    return {found.start(rng).fen() for _ in range(count)}


def position(plies_before: int) -> str:
    return board_after(*FOOLS_MATE[:-plies_before]).fen()


def test_at_first_games_start_one_ply_before_the_mate() -> None:
    assert starts(mates(1)) == {position(1)}


def test_every_distance_up_to_the_largest_is_played_from() -> None:
    assert starts(mates(3)) == {position(1), position(2), position(3)}


def test_a_game_shorter_than_the_distance_starts_at_its_beginning() -> None:
    assert starts(mates(9)) == {position(1), position(2), position(3), Board().fen()}


def test_the_distance_grows_while_most_games_are_decided() -> None:
    found, distances = OwnMates(), list[int]()
    for decided in (GROW_AT, GROW_AT - 0.01, *[1.0] * 10):
        found.judge(decided)
        distances.append(found.plies)
    assert distances == [2, 2, 3, 4, 6, 9, 13, 19, 28, MAX_PLIES, MAX_PLIES, MAX_PLIES]


def test_only_mates_are_kept() -> None:
    found = OwnMates()
    stalemate = board_after("f5f7", fen="7k/8/6K1/5Q2/8/8/8/8 w - - 0 1")
    found.add([board_after(*FOOLS_MATE[:2]), stalemate])
    assert found.count == 0


def test_long_games_start_within_their_last_plies() -> None:
    knights = ("g1f3", "g8f6", "f3g1", "f6g8")
    pawns = [
        (f"{file}{a}{file}{a + 1}", f"{file}{9 - a}{file}{8 - a}") for file in "abc" for a in (2, 3)
    ]
    opening = [move for pair in pawns for move in (*knights, *pair)]
    game = board_after(*opening, *knights, *FOOLS_MATE)
    found = OwnMates()
    found.add([game])
    for _ in range(MAX_PLIES):
        found.judge(1.0)
    fens = {board_after(*game.moves[:-plies]).fen() for plies in range(1, MAX_PLIES + 1)}
    assert starts(found, 1000) == fens


@pytest.mark.parametrize("count", [3, MAX_MATES + 5])
def test_a_checkpoint_restores_the_latest_mates(count: int) -> None:
    found, restored = mates(4), mates(1)
    other = board_after("h7h8q", fen="k7/7P/1K6/8/8/8/8/8 w - - 0 1")
    found.add([other] * count)
    restore(restored.arrays(), found.arrays())
    restored.load_facts(found.facts())
    assert starts(restored) == starts(found)
    assert (restored.count, restored.plies) == (count + 1, 4)
    assert (position(1) in starts(restored, 1000)) == (count < MAX_MATES)
