"""Perfect play: the equations it must satisfy, the figures it comes to, the file it is kept in."""

import math
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open

from selfmate.endgame.game import DRAW, GOES_ON, MATE, compile_game
from selfmate.endgame.solve import PARTS, Solution, save_solution, solve

# States, random mate probability and mean moves, optimal mean moves, worst case: found by a slow
# program of its own before the solver was written.
KNOWN = {
    4: (808, 0.200796, 7.0113, 1.940669, 4),
    5: (4_972, 0.169924, 30.7197, 2.644120, 6),
    6: (19_356, 0.165046, 84.1250, 3.244838, 7),
}


@pytest.fixture(scope="module")
def solution() -> Solution:
    return solve(compile_game(4), 0.85, -1.0)


@pytest.mark.parametrize("size", KNOWN)
def test_known_figures(size: int) -> None:
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


def test_the_value_of_a_move_is_what_it_brings(solution: Solution) -> None:
    """Bellman's equation, action by action."""
    game, best = compile_game(4), solution.q_values.max(1)
    for state, action in zip(*np.nonzero(game.allowed), strict=True):
        after = game.afterstates[state, action]
        replies = game.replies[after, : game.reply_counts[after]].tolist()
        brings = {GOES_ON: 0.0, MATE: 1.0, DRAW: -1.0}[int(game.endings[after])]
        if replies:
            brings = 0.85 * math.fsum(best[reply] for reply in replies) / len(replies)
        assert abs(solution.q_values[state, action] - brings) <= 2 * solution.value_error
    assert (solution.q_values[~game.allowed] == -np.inf).all()
    assert solution.optimal_value == pytest.approx(game.start_probabilities @ best, abs=1e-11)


def test_moves_to_mate_follow_from_each_other(solution: Solution) -> None:
    game = compile_game(4)
    for state in range(game.states):
        least, worst = [], []
        for after in game.afterstates[state, game.allowed[state]].tolist():
            replies = game.replies[after, : game.reply_counts[after]]
            if game.endings[after] == GOES_ON:
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
        figures = {name: float(text) for name, text in file.metadata().items()}
    assert figures == solution.figures()


def test_what_cannot_be_saved_leaves_nothing(solution: Solution, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        save_solution(solution, tmp_path / "taken")
    assert [path.name for path in tmp_path.rglob("*")] == ["taken"]
