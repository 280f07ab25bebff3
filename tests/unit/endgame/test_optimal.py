"""What must be true of perfect play, and the least moves found a second way."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog  # type: ignore[import-untyped]
from scipy.sparse import lil_array  # type: ignore[import-untyped]

from selfmate.endgame.game import DRAW, MATE, Game, compile_game
from selfmate.endgame.optimal import (
    greedy_actions,
    least_moves,
    mate_chances,
    optimal_values,
    worst_moves,
)

Floats = NDArray[np.float64]


def after_values(game: Game, values: Floats, gamma: float, draw: float) -> Floats:
    """What afterstates are worth, one by one."""
    found = np.zeros(len(game.endings))
    for after, (ending, count) in enumerate(zip(game.endings, game.reply_counts, strict=True)):
        if count:
            found[after] = gamma * values[game.replies[after, :count]].mean()
        else:
            found[after] = {MATE: 1.0, DRAW: draw}[int(ending)]
    return found


@pytest.mark.parametrize(
    ("gamma", "draw"), [(0.85, -1.0), (0.85, 0.0), (0.5, 0.5), (0.999, -1.0), (0.0, -1.0)]
)
def test_values_keep_the_bellman_equation(gamma: float, draw: float) -> None:
    """As far as the error they claim allows."""
    game = compile_game(4)
    values = optimal_values(game, gamma, draw)
    assert values.error < 5e-12
    expected = after_values(game, values.states, gamma, draw)
    best = np.where(game.allowed, expected[game.afterstates], -np.inf).max(1)
    assert abs(values.after - expected).max() <= 2 * values.error
    assert abs(values.states - best).max() <= 2 * values.error


def test_least_moves_by_linear_programming() -> None:
    """The largest numbers of moves that no move undercuts."""
    game = compile_game(4)
    pairs = np.argwhere(game.allowed)
    pairs = pairs[game.endings[game.afterstates[tuple(pairs.T)]] != DRAW]
    matrix = lil_array((len(pairs), game.states))
    for row, (state, action) in enumerate(pairs):
        matrix[row, state] += 1.0
        after = game.afterstates[state, action]
        for reply in game.replies[after, : game.reply_counts[after]]:
            matrix[row, reply] -= 1 / game.reply_counts[after]
    solved = linprog(-np.ones(game.states), A_ub=matrix.tocsr(), b_ub=np.ones(len(pairs)))
    assert solved.status == 0
    assert least_moves(game, worst_moves(game)) == pytest.approx(solved.x, abs=1e-7)


@pytest.mark.parametrize("size", [4, 5, 6])
def test_how_the_figures_of_perfect_play_hang_together(size: int) -> None:
    game = compile_game(size)
    forced = worst_moves(game)
    least = least_moves(game, forced)
    assert (mate_chances(game) == 1).all()
    assert (least <= forced + 1e-12).all()
    mates_at_once = ((game.endings[game.afterstates] == MATE) & game.allowed).any(1)
    assert (mates_at_once == (forced == 1)).all()
    assert (mates_at_once == (least < 1.5)).all()
    value = optimal_values(game, 0.9, -1.0).states
    assert (value >= 0.9 ** (least - 1) - 1e-11).all()  # by Jensen's inequality


@pytest.mark.parametrize("gamma", [-0.1, 0.9991, 1.0, float("nan")])
def test_gamma_out_of_bounds_is_refused(gamma: float) -> None:
    with pytest.raises(ValueError, match=r"is not a number from 0 to 0\.999"):
        optimal_values(compile_game(4), gamma, -1.0)


@pytest.mark.parametrize("draw", [-1.1, 2.0, float("inf"), float("nan")])
def test_draw_rewards_out_of_bounds_are_refused(draw: float) -> None:
    with pytest.raises(ValueError, match="is not a number from -1 to 1"):
        optimal_values(compile_game(4), 0.85, draw)


def test_greedy_actions_are_allowed_and_highest() -> None:
    game = compile_game(4)
    values = np.random.default_rng(1).normal(size=game.allowed.shape)
    values[~game.allowed] = 100.0
    for state, action in enumerate(greedy_actions(game, values)):
        assert game.allowed[state, action]
        assert values[state, action] == max(values[state][game.allowed[state]])


def test_values_that_are_no_values_are_refused() -> None:
    game = compile_game(4)
    with pytest.raises(ValueError, match=r"values of shape \(2, 2\): allowed is \(808, 32\)"):
        greedy_actions(game, np.zeros((2, 2)))
    with pytest.raises(ValueError, match="must be finite"):
        greedy_actions(game, np.full(game.allowed.shape, np.nan))
