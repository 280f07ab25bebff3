"""Perfect play: the equations it must satisfy, known results, the least moves by another method,
and the file of a solution."""

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors import safe_open
from scipy.optimize import linprog  # type: ignore[import-untyped]
from scipy.sparse import lil_array  # type: ignore[import-untyped]

from selfmate.minichess.game import DRAW, MATE, ONGOING, Game, compile_game
from selfmate.minichess.solver import (
    PARTS,
    Solution,
    greedy_actions,
    least_moves,
    mate_probabilities,
    optimal_values,
    save_solution,
    solve,
    worst_moves,
)

Floats = NDArray[np.float64]

# States, random mate probability and mean moves, optimal mean moves, worst case: computed by a slow
# independent program before the solver was written.
KNOWN = {
    4: (808, 0.200796, 7.0113, 1.940669, 4),
    5: (4_972, 0.169924, 30.7197, 2.644120, 6),
    6: (19_356, 0.165046, 84.1250, 3.244838, 7),
}


@pytest.fixture(scope="module")
def solution() -> Solution:
    return solve(compile_game(4), 0.85, -1.0)


@pytest.mark.parametrize("size", KNOWN)
def test_known_results(size: int) -> None:
    parts: list[None] = []
    found = solve(compile_game(size), 0.85, -1.0, on_part=lambda: parts.append(None))
    states, mates, random_moves, optimal_moves, worst = KNOWN[size]
    assert (found.states, found.worst_case_moves) == (states, worst)
    assert found.best_mate_probability == 1
    assert found.random_mate_probability == pytest.approx(mates, abs=1e-6)
    assert found.random_mean_moves == pytest.approx(random_moves, abs=1e-4)
    assert found.optimal_mean_moves == pytest.approx(optimal_moves, abs=1e-6)
    assert found.value_error < 1e-11
    assert len(parts) == PARTS


def test_move_values_satisfy_the_bellman_equation(solution: Solution) -> None:
    """Action by action."""
    game, best = compile_game(4), solution.q_values.max(1)
    for state, action in zip(*np.nonzero(game.allowed), strict=True):
        after = game.afterstates[state, action]
        replies = game.replies[after, : game.reply_counts[after]].tolist()
        value = {ONGOING: 0.0, MATE: 1.0, DRAW: -1.0}[int(game.endings[after])]
        if replies:
            value = 0.85 * math.fsum(best[reply] for reply in replies) / len(replies)
        assert abs(solution.q_values[state, action] - value) <= 2 * solution.value_error
    assert (solution.q_values[~game.allowed] == -np.inf).all()
    assert solution.optimal_value == pytest.approx(game.start_probabilities @ best, abs=1e-11)


def test_moves_to_mate_are_consistent_from_state_to_state(solution: Solution) -> None:
    game = compile_game(4)
    for state in range(game.states):
        least, worst = [], []
        for after in game.afterstates[state, game.allowed[state]].tolist():
            replies = game.replies[after, : game.reply_counts[after]]
            if game.endings[after] == ONGOING:
                least.append(1 + solution.least_moves[replies].mean())
                worst.append(1 + solution.worst_moves[replies].max())
            elif game.endings[after] == MATE:
                least, worst = [*least, 1.0], [*worst, 1]
        assert solution.least_moves[state] == pytest.approx(min(least), abs=1e-11)
        assert solution.worst_moves[state] == min(worst)
    assert (solution.least_moves <= solution.worst_moves + 1e-11).all()


def test_a_saved_solution_holds_everything(solution: Solution, tmp_path: Path) -> None:
    path = tmp_path / "s.safetensors"
    save_solution(solution, path)
    save_solution(solution, path)  # a second time replaces it
    assert list(tmp_path.iterdir()) == [path]
    with safe_open(path, "numpy") as file:
        for name in ("q_values", "least_moves", "worst_moves"):
            np.testing.assert_array_equal(file.get_tensor(name), getattr(solution, name))
        scalars = {name: float(text) for name, text in file.metadata().items()}
    assert scalars == solution.scalars()


def test_a_failed_save_leaves_no_file(solution: Solution, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        save_solution(solution, tmp_path / "taken")
    assert [path.name for path in tmp_path.rglob("*")] == ["taken"]


def after_values(game: Game, values: Floats, gamma: float, draw: float) -> Floats:
    """The values of afterstates, one by one."""
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
def test_state_values_satisfy_the_bellman_equation(gamma: float, draw: float) -> None:
    """Up to the error bound that they state."""
    game = compile_game(4)
    values = optimal_values(game, gamma, draw)
    assert values.error < 5e-12
    expected = after_values(game, values.states, gamma, draw)
    best = np.where(game.allowed, expected[game.afterstates], -np.inf).max(1)
    assert abs(values.after - expected).max() <= 2 * values.error
    assert abs(values.states - best).max() <= 2 * values.error


def test_least_moves_by_linear_programming() -> None:
    """The largest numbers of moves that satisfy the inequality of every move."""
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
def test_measures_of_perfect_play_agree(size: int) -> None:
    game = compile_game(size)
    forced = worst_moves(game)
    least = least_moves(game, forced)
    assert (mate_probabilities(game) == 1).all()
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


def test_invalid_values_are_refused() -> None:
    game = compile_game(4)
    with pytest.raises(ValueError, match=r"values of shape \(2, 2\): allowed is \(808, 32\)"):
        greedy_actions(game, np.zeros((2, 2)))
    with pytest.raises(ValueError, match="must be finite"):
        greedy_actions(game, np.full(game.allowed.shape, np.nan))
