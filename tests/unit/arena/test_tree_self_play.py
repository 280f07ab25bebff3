"""Games of a tree search with itself: legal, whole, scored right, the same on any threads."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.arena.tree_self_play import Plan, Tally, play_games
from selfmate.data.examples import CODING
from selfmate.data.tree_games import TreeGames
from selfmate.encodings.stored import is_white_to_move, legal_of
from selfmate.rules import Board
from selfmate.search.tree import TreeSettings

Floats = NDArray[np.float32]


def knows_nothing(planes: Floats) -> tuple[Floats, Floats]:
    even = np.full((len(planes), 3), 1 / 3, np.float32)
    return even, np.zeros((len(planes), 4672), np.float32)


def white_loses(planes: Floats) -> tuple[Floats, Floats]:
    """The net is sure that White is lost; plane 48 says who is to move."""
    white = planes[:, 48, 0, 0] == 1
    chances = np.where(white[:, None], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]).astype(np.float32)
    return chances, np.zeros((len(planes), 4672), np.float32)


def play(
    boards: Sequence[Board], *, threads: int = 1, evaluate: Any = knows_nothing, **changes: Any
) -> tuple[TreeGames, Tally]:
    usual: dict[str, Any] = {
        "settings": TreeSettings(), "simulations": 8, "at_once": 3, "max_plies": 12,
        "temperature": 1.0, "temperature_end": 0.1, "temperature_plies": 6,
        "resign": 1.0, "resign_checked": 0.0, "seed": 5,
    }  # fmt: skip
    plan = Plan(boards=boards, **usual | changes)
    return play_games([evaluate] * threads, plan)


def test_every_position_has_its_legal_moves_and_shares() -> None:
    games, tally = play([Board() for _ in range(7)])
    assert (tally.games, tally.plies, tally.ends["ply_limit"]) == (7, 84, 7)
    legal = legal_of(CODING, games.stored)
    assert legal.counts.tolist() == games.legal_counts.tolist()
    for row in range(len(games)):
        own = slice(games.offsets[row], games.offsets[row + 1])
        assert sorted(games.actions[own].tolist()) == sorted(legal.values[own].tolist())
        assert games.shares[own].sum() == pytest.approx(1, abs=0.01)
    assert not games.results_side_to_move.any()
    assert tally.distinct == 7


def test_threads_and_places_do_not_change_a_game() -> None:
    kept = []
    for threads, at_once in ((1, 7), (1, 2), (2, 3), (3, 1)):
        boards = [Board() for _ in range(7)]
        play(boards, threads=threads, at_once=at_once)
        kept.append([board.moves for board in boards])
    assert kept[1:] == kept[:1] * 3


def test_another_seed_plays_other_games() -> None:
    boards = [[Board()], [Board()]]
    play(boards[0], seed=1)
    play(boards[1], seed=2)
    assert boards[0][0].moves != boards[1][0].moves


def test_mates_are_played_and_results_are_seen_by_the_side_to_move() -> None:
    """White mates at once in one game, Black in the other."""
    boards = [
        Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"),
        Board("r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1"),
        Board("4r1k1/8/8/8/8/8/5PPP/6K1 w - - 0 1"),
    ]
    games, tally = play(boards, at_once=3, simulations=30, max_plies=2)
    assert tally.decided == tally.ends["checkmate"] >= 2
    white = is_white_to_move(games.stored)
    assert games.results_side_to_move[:2].tolist() == [1, 1]
    assert white[:2].tolist() == [True, False]
    assert tally.white_points == 1 + 0 + (0.5 if tally.decided == 2 else 0)


def test_who_is_lost_gives_up_and_some_play_on_to_see() -> None:
    boards = [Board() for _ in range(20)]
    games, tally = play(boards, evaluate=white_loses, resign=0.9, resign_checked=0.0)
    assert tally.ends == {"resigned": 20}
    assert tally.plies == 20 * 3  # two turns of White, with one of Black between
    white = is_white_to_move(games.stored)
    assert (games.results_side_to_move == np.where(white, -1, 1)).all()
    boards = [Board() for _ in range(20)]
    _, tally = play(boards, evaluate=white_loses, resign=0.9, resign_checked=0.5)
    assert 0 < tally.ends["ply_limit"] < 20
    assert (tally.checked, tally.wrong) == (0, 0)  # games that are cut show nothing


def test_who_would_have_given_up_a_draw_was_wrong() -> None:
    """Bare kings but for a pawn that can be taken, and a net that is sure of White's loss."""
    boards = [Board("8/8/8/8/4k3/8/6p1/6K1 w - - 90 80") for _ in range(8)]
    _, tally = play(
        boards, evaluate=white_loses, resign=0.9, resign_checked=1.0, simulations=2, max_plies=40
    )
    assert tally.games == 8
    assert 8 >= tally.checked == tally.wrong > 0
