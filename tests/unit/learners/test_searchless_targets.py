"""Targets by hand: a win, a loss, a draw, an illegal attempt; variants of the reference design."""

from collections.abc import Callable
from dataclasses import replace
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.trajectories import AttemptTrajectories
from selfmate.encodings.records import encode_records
from selfmate.learners.searchless.targets import (
    TargetInputs,
    Targets,
    TargetScores,
    imitation_targets,
    policy_targets,
    reinforce_targets,
    uniform_targets,
)
from selfmate.rules import Board, Ragged

ScoredTargets = Callable[[TargetInputs, TargetScores], Targets]
LEGAL = (5, 9, 700)  # 1,965 are not
ILLEGAL = 100  # one of them
E10, E25 = exp(-10), exp(-25)


def game(
    *,
    result: int = 0,
    moves_left: int = 1,
    tried: tuple[int, ...] = (),
    legal: tuple[int, ...] = LEGAL,
) -> TargetInputs:
    """One position, in which action 9 was played."""
    rows = AttemptTrajectories(
        stored=encode_records([Board()]),
        played=np.array([9], np.int32),
        tried=Ragged(np.array(tried, np.int32), np.array([0, len(tried)])),
        results_side_to_move=np.array([result], np.int8),
        moves_left=np.array([moves_left], np.int32),
    )
    policy = np.full(len(legal), 1 / len(legal))
    return TargetInputs(rows, Ragged(np.array(legal, np.int32), np.array([0, len(legal)])), policy)


def target(scores: TargetScores | None = None, **of_game: object) -> NDArray[np.float64]:
    """The probabilities of the played action, another legal one, an illegal one, and 101, which may
    have been attempted."""
    found = uniform_targets(game(**of_game), scores or TargetScores())  # type: ignore[arg-type]
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-5)
    assert found.probabilities[0, list(LEGAL)].sum() == pytest.approx(found.legal_mass[0], abs=1e-6)
    return found.probabilities[0, [9, 5, ILLEGAL, 101]].astype(np.float64)


def by_hand(played: float, other: float, illegal: float, attempted: float) -> object:
    return pytest.approx([played, other, illegal, attempted], rel=1e-5)


@pytest.mark.parametrize(("score", "size"), [(4.0, 4 + 1 / 2), (1.0, 1 + 1 / 2)])
@pytest.mark.parametrize("result", [1, -1])
def test_a_win_and_a_loss_two_moves_before_the_end(score: float, size: float, result: int) -> None:
    move = exp(result * size)
    total = move + 2 + 1965 * E10
    found = target(TargetScores(result=score), result=result, moves_left=2)
    assert found == by_hand(move / total, 1 / total, E10 / total, E10 / total)


def test_the_sooner_the_end_the_more_a_win_counts() -> None:
    wins = [target(result=1, moves_left=left)[0] for left in (1, 2, 10)]
    assert wins == sorted(wins, reverse=True)
    losses = [target(result=-1, moves_left=left)[0] for left in (1, 2, 10)]
    assert losses == sorted(losses)
    assert target(result=1, moves_left=0)[0] == pytest.approx(
        exp(4) / (exp(4) + 2 + 1965 * E10), rel=1e-5
    )


def test_in_a_draw_all_legal_moves_are_equal() -> None:
    total = 3 + 1965 * E10
    assert target() == by_hand(1 / total, 1 / total, E10 / total, E10 / total)
    mass = uniform_targets(game(), TargetScores()).legal_mass[0]
    assert mass == pytest.approx(3 / (3 + 1965 * exp(-10)))  # 0.971: the rest is on illegal moves


def test_an_only_move_keeps_0() -> None:
    found = uniform_targets(game(result=-1, legal=(9,)), TargetScores())
    assert found.probabilities[0, 9] == pytest.approx(1 / (1 + 1967 * E10), rel=1e-5)


def test_an_illegal_attempt_is_a_datapoint_of_its_own() -> None:
    attempt, drawn = 3 + 1965 * E10, 3 + 1965 * E10
    legal = (1 / attempt + 1 / drawn) / 2
    assert target(tried=(101,)) == by_hand(legal, legal, legal * E10, legal * E10)
    assert uniform_targets(game(tried=(101, 7)), TargetScores()).datapoints.tolist() == [3]


def test_the_variant_with_a_lower_score_for_the_attempted_move() -> None:
    attempt = 3 + 1964 * E10 + E25
    move, won = exp(5), exp(5) + 2 + 1965 * E10
    found = target(TargetScores(attempted=-25.0), result=1, moves_left=1, tried=(101, 7))
    assert found == by_hand(
        (2 / attempt + move / won) / 3,
        (2 / attempt + 1 / won) / 3,
        (2 * E10 / attempt + E10 / won) / 3,
        ((E10 + E25) / attempt + E10 / won) / 3,  # attempted once, and illegal in the other two
    )


POLICY = np.array([0.5, 0.3, 0.2])  # of a net, among the legal moves; the second was played
LEGAL_MASS = 3 / (3 + 1965 * E10)  # in the target of a draw


def policy_target(**of_game: object) -> NDArray[np.float64]:
    """The probabilities of the legal actions, in their order."""
    inputs = game(**of_game)._replace(policy=POLICY)  # type: ignore[arg-type]
    found = policy_targets(inputs, TargetScores())
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-5)
    assert found.legal_mass[0] == pytest.approx(LEGAL_MASS)
    return found.probabilities[0, list(LEGAL)].astype(np.float64)


@pytest.mark.parametrize("tried", [(), (101, 7)])
def test_draws_and_attempts_keep_the_policy(tried: tuple[int, ...]) -> None:
    assert policy_target(tried=tried) == pytest.approx(LEGAL_MASS * POLICY, rel=1e-5)


@pytest.mark.parametrize("result", [1, -1])
def test_a_decided_game_tilts_the_policy(result: int) -> None:
    move = 0.3 * exp(result * (4 + 1 / 2))
    tilted = np.array([0.5, move, 0.2]) / (0.7 + move)
    assert policy_target(result=result, moves_left=2) == pytest.approx(
        LEGAL_MASS * tilted, rel=1e-5
    )
    mean = (POLICY + tilted) / 2  # of the attempt, and of the move
    found = policy_target(result=result, moves_left=2, tried=(101,))
    assert found == pytest.approx(LEGAL_MASS * mean, rel=1e-5)


def test_both_targets_agree_on_legal_moves_for_a_uniform_policy() -> None:
    inputs = game(result=1, moves_left=3)
    uniform, policy = (
        function(inputs, TargetScores()) for function in (uniform_targets, policy_targets)
    )
    legal = list(LEGAL)
    np.testing.assert_allclose(
        policy.probabilities[0, legal] / policy.legal_mass,
        uniform.probabilities[0, legal] / uniform.legal_mass,
        rtol=1e-5,
    )


@pytest.mark.parametrize("result", [1.0, -1.0, 0.25])
def test_reinforce_moves_the_policy_by_the_score(result: float) -> None:
    """The gradient of the cross-entropy is that of -score log p(move) among the legal moves, also
    for a result relative to others."""
    inputs = game(moves_left=2)
    rows = replace(inputs.games, results_side_to_move=np.array([result], np.float32))
    scores = TargetScores(result=1.0, speed_bonus=1.0)
    found = reinforce_targets(TargetInputs(rows, inputs.legal, POLICY), scores)
    step = result * 1.5 * (np.array([0, 1, 0]) - POLICY)
    legal = found.probabilities[0, list(LEGAL)]
    assert legal == pytest.approx(LEGAL_MASS * (POLICY + step), rel=1e-5)
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-5)
    assert found.legal_mass[0] == pytest.approx(LEGAL_MASS)


@pytest.mark.parametrize("targets", [policy_targets, reinforce_targets])
def test_only_the_datapoint_of_the_move_has_its_result(targets: ScoredTargets) -> None:
    def among_legal(**of_game: object) -> NDArray[np.float64]:
        inputs = game(**of_game)._replace(policy=POLICY)  # type: ignore[arg-type]
        found = targets(inputs, TargetScores(result=1.0, speed_bonus=0.0))
        legal: NDArray[np.float64] = found.probabilities[0, list(LEGAL)].astype(np.float64)
        return legal

    mean = (LEGAL_MASS * POLICY + among_legal(result=1)) / 2
    assert among_legal(result=1, tried=(101,)) == pytest.approx(mean, rel=1e-5)


def test_imitation_is_the_move_alone() -> None:
    found = imitation_targets(game(result=-1))
    assert found.probabilities[0, 9] == 1
    assert found.probabilities.sum() == 1


def test_rows_are_independent() -> None:
    """Two positions together have the targets that each has alone."""
    (first, legal, even), (second, fewer, half) = (
        game(result=1, moves_left=3, tried=(101, 100)),
        game(result=-1, moves_left=2, legal=(9, 12)),
    )
    both = AttemptTrajectories(
        stored=np.concatenate([first.stored, second.stored]),
        played=np.concatenate([first.played, second.played]),
        tried=Ragged(first.tried.values, np.array([0, 2, 2])),
        results_side_to_move=np.array([1, -1], np.int8),
        moves_left=np.array([3, 2], np.int32),
    )
    together = Ragged(np.concatenate([legal.values, fewer.values]), np.array([0, 3, 5]))
    found = uniform_targets(
        TargetInputs(both, together, np.append(even, half)), TargetScores(attempted=-25)
    )
    for row, alone in enumerate(
        [TargetInputs(first, legal, even), TargetInputs(second, fewer, half)]
    ):
        expected = uniform_targets(alone, TargetScores(attempted=-25))
        np.testing.assert_allclose(found.probabilities[row], expected.probabilities[0], rtol=1e-6)
        assert found.datapoints[row] == expected.datapoints[0]
