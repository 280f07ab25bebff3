"""The self-play driver: order, slots, endings, truncation and statistics, with scripted actors."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.rules import Board
from selfmate.searches.sampling import random_choices
from selfmate.selfplay.games import RESIGNED, Decision, GamePlan, Turn, play_games

Resigns = Callable[[Turn], NDArray[np.bool_]]
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"


class RandomActor:
    """Moves at random; notes its turns."""

    def __init__(self, resigns: Resigns | None = None) -> None:
        self.turns: list[Turn] = []
        self._resigns = resigns

    def decide(self, turn: Turn) -> Decision:
        assert [board.turn == "white" for board in turn.boards] == turn.is_white.tolist()
        self.turns.append(turn)
        seeds = turn.seeds(turn.plies)
        resigns = None if self._resigns is None else self._resigns(turn)
        return Decision(
            moves=random_choices(turn.boards, seeds), columns={"seeds": seeds}, resigns=resigns
        )


def plan(count: int, **changes: int) -> GamePlan:
    boards = [Board() for _ in range(count)]
    settings: dict[str, Any] = {"max_plies": 6, "seed": 3}
    return GamePlan(boards=boards, **(settings | changes))


def test_a_game_that_ends_is_replaced_in_its_slot() -> None:
    actor = RandomActor(lambda turn: turn.games == 0)  # game 0 resigns with its first move
    games = play_games([actor], plan(4, parallel_games=2))
    assert [turn.games.tolist() for turn in actor.turns[:3]] == [[0, 1], [1, 2], [1, 2]]
    assert [turn.slots.tolist() for turn in actor.turns[:2]] == [[0, 1], [1, 0]]
    assert games.lengths.tolist() == [1, 6, 6, 6]
    assert games.stats.endings == {RESIGNED: 1, "ply_limit": 3}
    assert games.results.tolist() == [-1, 0, 0, 0], "White resigned"
    assert games.truncated.games.tolist() == [1, 2, 3]


def test_columns_follow_the_order_of_play() -> None:
    few, many = plan(5, parallel_games=2), plan(5)
    found = [play_games([RandomActor()], of).columns["seeds"] for of in (few, many)]
    np.testing.assert_array_equal(found[0], found[1])
    assert [board.moves for board in few.boards] == [board.moves for board in many.boards]


def test_actors_play_every_nth_game() -> None:
    actors = [RandomActor(), RandomActor()]
    games = play_games(actors, plan(5))
    assert {*actors[0].turns[0].games.tolist()} == {0, 2, 4}
    assert {*actors[1].turns[0].games.tolist()} == {1, 3}
    assert games.games.tolist() == np.repeat(range(5), 6).tolist(), "game after game"
    assert games.plies.tolist() == [*range(6)] * 5, "in the order of play"


def test_a_mate_counts_before_a_resignation() -> None:
    boards = [Board(MATE_IN_ONE) for _ in range(200)]
    everyone = RandomActor(lambda turn: np.ones(len(turn.games), np.bool_))
    games = play_games([everyone], GamePlan(boards=boards, max_plies=9, seed=1))
    mates = [board.moves == ["a1a8"] for board in boards]
    assert any(mates)
    assert games.results.tolist() == [1 if mate else -1 for mate in mates]
    assert games.stats.decided == games.stats.games == 200
    assert games.stats.white_points == sum(mates)
    assert games.results_side_to_move.tolist() == games.results.tolist()
