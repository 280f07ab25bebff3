"""Exact evaluation of policies against dense linear algebra and plain graph searches."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.minichess import markov
from selfmate.minichess.evaluation import Evaluation, evaluate_policy
from selfmate.minichess.game import DRAW, MATE, ONGOING, Game, compile_game
from selfmate.minichess.solver import greedy_actions, move_values, optimal_values

GAMMA, DRAW_REWARD = 0.85, -1.0

Actions = NDArray[np.intp]


def optimal(game: Game) -> Actions:
    return greedy_actions(game, move_values(game, optimal_values(game, GAMMA, DRAW_REWARD).after))


def at_random(game: Game, seed: int) -> Actions:
    """The same random move in the same state: such games soon go in circles."""
    return greedy_actions(game, np.random.default_rng(seed).random(game.allowed.shape))


def worst(game: Game) -> Actions:
    """The move of the lowest value everywhere."""
    values = optimal_values(game, GAMMA, DRAW_REWARD).after
    return greedy_actions(game, -np.where(game.allowed, move_values(game, values), 0.0))


def reluctant(game: Game, seed: int) -> Actions:
    """Avoids ending the game wherever it can, except in a few states."""
    rng = np.random.default_rng(seed)
    ongoing = game.endings[game.afterstates] == ONGOING
    values = rng.random(game.allowed.shape) + ongoing
    tired = rng.choice(game.states, game.states // 50)
    values[tired] -= 2.0 * ongoing[tired]
    return greedy_actions(game, values)


def absent_minded(game: Game, seed: int) -> Actions:
    """The best move in some states, a move that does not end the game in others: there are circles,
    but every game ends."""
    rng = np.random.default_rng(seed)
    ongoing = game.endings[game.afterstates] == ONGOING
    some_move = greedy_actions(game, rng.random(game.allowed.shape) + ongoing)
    return np.where(rng.random(game.states) < 0.75, optimal(game), some_move)


POLICIES: dict[str, Callable[[Game], Actions]] = {
    "optimal": optimal,
    "worst": worst,
    "random": partial(at_random, seed=0),
    "random as well": partial(at_random, seed=1),
    "reluctant": partial(reluctant, seed=0),
    "more reluctant": partial(reluctant, seed=3),
    "absent-minded": partial(absent_minded, seed=0),
    "more absent-minded": partial(absent_minded, seed=2),
}
SMALL = [(4, name) for name in POLICIES]
LARGER = [(5, name) for name in ("optimal", "absent-minded")]


def next_states(game: Game, actions: Actions) -> dict[int, list[int]]:
    after = game.afterstates[np.arange(game.states), actions]
    return {
        state: game.replies[left, : game.reply_counts[left]].tolist()
        for state, left in enumerate(after.tolist())
    }


def reached(roots: list[int], follow: dict[int, list[int]]) -> set[int]:
    found, waiting = set(roots), list(roots)
    while waiting:
        new = set(follow.get(waiting.pop(), [])) - found
        found |= new
        waiting += new
    return found


def reference(game: Game, actions: Actions) -> Evaluation:
    """By plain graph searches and dense solves."""
    best = optimal_values(game, GAMMA, DRAW_REWARD)
    follow = next_states(game, actions)
    visited = reached(np.flatnonzero(game.start_probabilities).tolist(), follow)
    before: dict[int, list[int]] = {}
    for state in visited:
        for following in follow[state]:
            before.setdefault(following, []).append(state)
    can_end = sorted(reached([state for state in visited if not follow[state]], before))
    place = {state: i for i, state in enumerate(can_end)}
    flow = np.zeros((len(can_end), len(can_end)))
    for state in can_end:
        for following in set(follow[state]) & place.keys():
            flow[place[state], place[following]] += 1 / len(follow[state])
    after = game.afterstates[can_end, actions[can_end]]
    mate, draw = (game.endings[after] == ending for ending in (MATE, DRAW))
    start = game.start_probabilities[can_end]
    visits = np.linalg.solve(np.eye(len(flow)) - flow.T, start)
    discounted = np.linalg.solve(np.eye(len(flow)) - GAMMA * flow.T, start)
    some = np.array(sorted(visited))
    q = best.after[game.afterstates[some, actions[some]]]
    value = discounted @ (mate + DRAW_REWARD * draw)
    return Evaluation(
        mate_percent=100 * visits @ mate,
        draw_percent=100 * visits @ draw,
        never_ending_percent=100 * (1 - visits @ (mate + draw)),
        mean_moves=float(visits.sum()) if len(can_end) == len(visited) else None,
        optimal_move_percent=100 * float((q > best.states[some] - 1e-9).mean()),
        regret=float(game.start_probabilities @ best.states - value),
    )


def check_same(found: Evaluation, expected: Evaluation) -> None:
    for name in ("mate", "draw", "never_ending", "optimal_move"):
        percent = getattr(expected, f"{name}_percent")
        assert getattr(found, f"{name}_percent") == pytest.approx(percent, abs=1e-8)
    assert found.regret == pytest.approx(expected.regret, abs=1e-10)
    assert (found.mean_moves is None) == (expected.mean_moves is None)
    if expected.mean_moves is not None:
        assert found.mean_moves == pytest.approx(expected.mean_moves, rel=1e-9)


@pytest.mark.parametrize(("size", "name"), [*SMALL, *LARGER])
def test_policies_against_dense_solves(size: int, name: str) -> None:
    game = compile_game(size)
    actions = POLICIES[name](game)
    check_same(evaluate_policy(game, actions), reference(game, actions))


@pytest.mark.parametrize(("size", "name"), SMALL)
def test_the_iterative_solver_agrees(size: int, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only large boards need it; here it solves small ones."""
    monkeypatch.setattr(markov, "DENSE", 1)
    game = compile_game(size)
    actions = POLICIES[name](game)
    check_same(evaluate_policy(game, actions), reference(game, actions))


@pytest.mark.parametrize("size", [4, 5, 6])
def test_perfect_play_has_no_regret(size: int) -> None:
    game = compile_game(size)
    found = evaluate_policy(game, optimal(game), gamma=GAMMA, draw_reward=DRAW_REWARD)
    assert (found.mate_percent, found.draw_percent, found.never_ending_percent) == (100, 0, 0)
    assert found.optimal_move_percent == 100
    assert found.regret == pytest.approx(0, abs=1e-11)


def test_mean_moves_are_given_only_if_every_game_ends() -> None:
    game = compile_game(4)
    ends = {name: evaluate_policy(game, policy(game)) for name, policy in POLICIES.items()}
    assert ends["optimal"].mean_moves == pytest.approx(1.940669, abs=0.01)
    assert ends["absent-minded"].mean_moves is not None
    assert ends["random"].mean_moves is None
    for found in ends.values():
        assert (found.mean_moves is None) == (found.never_ending_percent > 0)


def test_games_that_never_end_have_value_zero() -> None:
    game = compile_game(4)
    ongoing = game.endings[game.afterstates] == ONGOING
    found = evaluate_policy(game, greedy_actions(game, ongoing.astype(np.float64)))
    assert (found.never_ending_percent, found.mean_moves) == (100, None)
    best = optimal_values(game, GAMMA, DRAW_REWARD).states
    assert found.regret == pytest.approx(game.start_probabilities @ best)


def test_rewards_change_only_the_regret() -> None:
    game = compile_game(4)
    actions = at_random(game, 0)
    plain = evaluate_policy(game, actions)
    lenient = evaluate_policy(game, actions, gamma=0.5, draw_reward=0.0)
    assert lenient.mate_percent == plain.mate_percent
    assert lenient.regret < plain.regret


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (np.zeros(3, np.intp), "a policy is 808 whole numbers, an action for each state"),
        (np.zeros(808), "a policy is 808 whole numbers"),
        (np.full(808, 32), "actions are from 0 to 31"),
        (np.full(808, -1), "actions are from 0 to 31"),
        (np.zeros(808, np.intp), "action 0 is not allowed in state"),
    ],
)
def test_invalid_policies_are_refused(actions: Actions, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate_policy(compile_game(4), actions)
