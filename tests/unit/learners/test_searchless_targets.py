"""Targets by hand: a win, a loss, a draw, an illegal attempt; both variants of the seed."""

from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.attempted_games import AttemptedGames
from selfmate.encodings.stored import store
from selfmate.learners.searchless_targets import (
    Asked,
    Scores,
    even_targets,
    imitation_targets,
    own_targets,
)
from selfmate.rules import Board
from selfmate.rules.ragged import Ragged

LEGAL = (5, 9, 700)  # 1,965 are not
ILLEGAL = 100  # one of them
E10, E25 = exp(-10), exp(-25)


def game(
    *,
    result: int = 0,
    moves_left: int = 1,
    tried: tuple[int, ...] = (),
    legal: tuple[int, ...] = LEGAL,
) -> Asked:
    """The action 9 was played."""
    rows = AttemptedGames(
        stored=store([Board()]),
        played=np.array([9], np.int32),
        tried=Ragged(np.array(tried, np.int32), np.array([0, len(tried)])),
        results_side_to_move=np.array([result], np.int8),
        moves_left=np.array([moves_left], np.int32),
    )
    policy = np.full(len(legal), 1 / len(legal))
    return Asked(rows, Ragged(np.array(legal, np.int32), np.array([0, len(legal)])), policy)


def shares(scores: Scores | None = None, **of_game: object) -> NDArray[np.float64]:
    """Of the played, another legal, an illegal action, and 101, which may have been tried."""
    found = even_targets(game(**of_game), scores or Scores())  # type: ignore[arg-type]
    assert found.shares.sum() == pytest.approx(1, abs=1e-5)
    assert found.shares[0, list(LEGAL)].sum() == pytest.approx(found.legal_mass[0], abs=1e-6)
    return found.shares[0, [9, 5, ILLEGAL, 101]].astype(np.float64)


def by_hand(played: float, other: float, illegal: float, tried: float) -> object:
    return pytest.approx([played, other, illegal, tried], rel=1e-5)


@pytest.mark.parametrize(("decided", "size"), [(4.0, 4 + 1 / 2), (1.0, 1 + 1 / 2)])
@pytest.mark.parametrize("result", [1, -1])
def test_a_win_and_a_loss_two_moves_before_the_end(
    decided: float, size: float, result: int
) -> None:
    move = exp(result * size)
    total = move + 2 + 1965 * E10
    found = shares(Scores(decided=decided), result=result, moves_left=2)
    assert found == by_hand(move / total, 1 / total, E10 / total, E10 / total)


def test_the_sooner_the_end_the_more_a_win_counts() -> None:
    wins = [shares(result=1, moves_left=left)[0] for left in (1, 2, 10)]
    assert wins == sorted(wins, reverse=True)
    losses = [shares(result=-1, moves_left=left)[0] for left in (1, 2, 10)]
    assert losses == sorted(losses)
    assert shares(result=1, moves_left=0)[0] == pytest.approx(
        exp(4) / (exp(4) + 2 + 1965 * E10), rel=1e-5
    )


def test_in_a_draw_all_legal_moves_are_alike() -> None:
    total = 3 + 1965 * E10
    assert shares() == by_hand(1 / total, 1 / total, E10 / total, E10 / total)
    mass = even_targets(game(), Scores()).legal_mass[0]
    assert mass == pytest.approx(3 / (3 + 1965 * exp(-10)))  # 0.971: the rest is on illegal moves


def test_an_only_move_keeps_0() -> None:
    found = even_targets(game(result=-1, legal=(9,)), Scores())
    assert found.shares[0, 9] == pytest.approx(1 / (1 + 1967 * E10), rel=1e-5)


def test_an_attempt_that_was_illegal_is_a_datapoint_of_its_own() -> None:
    lesson, drawn = 3 + 1965 * E10, 3 + 1965 * E10
    legal = (1 / lesson + 1 / drawn) / 2
    assert shares(tried=(101,)) == by_hand(legal, legal, legal * E10, legal * E10)
    assert even_targets(game(tried=(101, 7)), Scores()).datapoints.tolist() == [3]


def test_the_variant_that_puts_the_tried_move_lower_still() -> None:
    lesson = 3 + 1964 * E10 + E25
    move, won = exp(5), exp(5) + 2 + 1965 * E10
    found = shares(Scores(tried=-25.0), result=1, moves_left=1, tried=(101, 7))
    assert found == by_hand(
        (2 / lesson + move / won) / 3,
        (2 / lesson + 1 / won) / 3,
        (2 * E10 / lesson + E10 / won) / 3,
        ((E10 + E25) / lesson + E10 / won) / 3,  # tried once, and illegal in the other two
    )


OWN = np.array([0.5, 0.3, 0.2])  # a net's own policy among the legal; the second was played
LEGAL_SHARE = 3 / (3 + 1965 * E10)  # of the target of a draw


def own_shares(**of_game: object) -> NDArray[np.float64]:
    """Of the legal actions, in their order."""
    asked = game(**of_game)._replace(policy=OWN)  # type: ignore[arg-type]
    found = own_targets(asked, Scores())
    assert found.shares.sum() == pytest.approx(1, abs=1e-5)
    assert found.legal_mass[0] == pytest.approx(LEGAL_SHARE)
    return found.shares[0, list(LEGAL)].astype(np.float64)


@pytest.mark.parametrize("tried", [(), (101, 7)])
def test_draws_and_attempts_leave_a_policy_of_its_own_as_it_is(tried: tuple[int, ...]) -> None:
    assert own_shares(tried=tried) == pytest.approx(LEGAL_SHARE * OWN, rel=1e-5)


@pytest.mark.parametrize("result", [1, -1])
def test_a_decided_game_tilts_a_policy_of_its_own(result: int) -> None:
    move = 0.3 * exp(result * (4 + 1 / 2))
    tilted = np.array([0.5, move, 0.2]) / (0.7 + move)
    assert own_shares(result=result, moves_left=2) == pytest.approx(LEGAL_SHARE * tilted, rel=1e-5)
    mean = (OWN + tilted) / 2  # of the attempt, and of the move
    found = own_shares(result=result, moves_left=2, tried=(101,))
    assert found == pytest.approx(LEGAL_SHARE * mean, rel=1e-5)


def test_to_an_even_policy_a_game_says_the_same_of_legal_moves_either_way() -> None:
    asked = game(result=1, moves_left=3)
    even, own = even_targets(asked, Scores()), own_targets(asked, Scores())
    legal = list(LEGAL)
    np.testing.assert_allclose(
        own.shares[0, legal] / own.legal_mass, even.shares[0, legal] / even.legal_mass, rtol=1e-5
    )


def test_imitation_is_the_move_alone() -> None:
    found = imitation_targets(game(result=-1))
    assert found.shares[0, 9] == 1
    assert found.shares.sum() == 1


def test_rows_keep_to_themselves() -> None:
    """Two positions together are taught what each is taught alone."""
    (first, legal, even), (second, fewer, half) = (
        game(result=1, moves_left=3, tried=(101, 100)),
        game(result=-1, moves_left=2, legal=(9, 12)),
    )
    both = AttemptedGames(
        stored=np.concatenate([first.stored, second.stored]),
        played=np.concatenate([first.played, second.played]),
        tried=Ragged(first.tried.values, np.array([0, 2, 2])),
        results_side_to_move=np.array([1, -1], np.int8),
        moves_left=np.array([3, 2], np.int32),
    )
    together = Ragged(np.concatenate([legal.values, fewer.values]), np.array([0, 3, 5]))
    found = even_targets(Asked(both, together, np.append(even, half)), Scores(tried=-25))
    for row, alone in enumerate([Asked(first, legal, even), Asked(second, fewer, half)]):
        expected = even_targets(alone, Scores(tried=-25))
        np.testing.assert_allclose(found.shares[row], expected.shares[0], rtol=1e-6)
        assert found.datapoints[row] == expected.datapoints[0]
