"""The solver of the mini-chess against other methods, on the transitions of a slow reference."""

import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from oracle.slow_minichess import Position, moves_of, reachable, starts
from oracle.test_minichess import chess_board, positions_of
from selfmate.minichess.game import compile_game
from selfmate.minichess.solver import (
    Solution,
    least_moves,
    look_ahead,
    optimal_values,
    random_agent,
    solve,
    worst_moves,
)

GAMMA, DRAW_REWARD = 0.85, -1.0
SIMULATED_GAMES = 20_000
CHESS_STATES = int(os.environ.get("SELFMATE_FUZZ_POSITIONS", "300"))
# Table I of the reference design: a random agent over 100,000 games.
TABLE_I_GAMES, TABLE_I_MATES, TABLE_I_MOVES = 100_000, 0.199, 6.9736

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Dense:
    """A policy on the smallest board as a matrix over all positions, as `positions` has them."""

    flow: Floats  # [S, S], to the next position
    mate: Floats  # [S], ends now
    draw: Floats  # [S]

    def visits(self) -> Floats:
        visits: NDArray[Any] = np.linalg.solve(np.eye(len(self.flow)) - self.flow.T, start())
        return visits

    def values(self, rewards: Floats, gamma: float = 1.0) -> Floats:
        values: NDArray[Any] = np.linalg.solve(np.eye(len(rewards)) - gamma * self.flow, rewards)
        return values


@cache
def positions() -> list[Position]:
    return reachable(4)


@cache
def start() -> Floats:
    probabilities = starts(4)
    return np.array([float(probabilities.get(position, 0)) for position in positions()])


def dense(policy: Sequence[Sequence[int]]) -> Dense:
    """The policy that plays each of `policy[i]` equally often in position i."""
    index = {position: i for i, position in enumerate(positions())}
    flow, ends = np.zeros((len(index), len(index))), np.zeros((2, len(index)))
    for i, (position, actions) in enumerate(zip(positions(), policy, strict=True)):
        for action in actions:
            outcome, replies = moves_of(position)[action]
            if outcome != "ongoing":
                ends[int(outcome == "draw"), i] += 1 / len(actions)
            for reply in replies:
                flow[i, index[reply]] += 1 / len(actions) / len(replies)
    return Dense(flow, ends[0], ends[1])


@cache
def random_policy() -> Dense:
    return dense([list(moves_of(position)) for position in positions()])


@cache
def solution() -> Solution:
    return solve(compile_game(4), GAMMA, DRAW_REWARD)


def by_position(values: NDArray[np.floating] | NDArray[np.integer]) -> Floats:
    """From the order of our states to that of `positions`."""
    state_of = {position: i for i, position in enumerate(positions_of(compile_game(4)))}
    return values[[state_of[position] for position in positions()]].astype(np.float64)


def test_a_random_agent_by_a_dense_solve() -> None:
    visits = random_policy().visits()
    assert solution().random_mate_probability == pytest.approx(visits @ random_policy().mate)
    assert solution().random_mean_moves == pytest.approx(visits.sum(), rel=1e-11)


def test_a_random_agent_agrees_with_table_i() -> None:
    """Within three standard errors of 100,000 games."""
    mates, moves = solution().random_mate_probability, solution().random_mean_moves
    error = (mates * (1 - mates) / TABLE_I_GAMES) ** 0.5
    assert abs(mates - TABLE_I_MATES) < 3 * error
    lengths = random_policy().values(np.ones(len(start())))
    squares = start() @ random_policy().values(2 * lengths - 1)
    assert abs(moves - TABLE_I_MOVES) < 3 * ((squares - moves**2) / TABLE_I_GAMES) ** 0.5


def test_a_random_agent_by_simulation() -> None:
    rng, beginnings = random.Random(4), starts(4)
    drawn = rng.choices(list(beginnings), list(beginnings.values()), k=SIMULATED_GAMES)
    mates, moves = 0, []
    for beginning in drawn:
        position, number, outcome = beginning, 0, "ongoing"
        while outcome == "ongoing":
            outcome, replies = rng.choice(list(moves_of(position).values()))
            position = rng.choice(replies) if replies else position
            number += 1
        mates += outcome == "mate"
        moves.append(number)
    expected = solution().random_mate_probability
    error = (expected * (1 - expected) / SIMULATED_GAMES) ** 0.5
    assert abs(mates / SIMULATED_GAMES - expected) < 4 * error
    error = float(np.std(moves)) / SIMULATED_GAMES**0.5
    assert abs(np.mean(moves) - solution().random_mean_moves) < 4 * error


def test_a_random_agent_on_a_larger_board_by_following_its_games() -> None:
    """Move by move until no game is left, without solving equations."""
    game = compile_game(5)
    ahead = look_ahead(game)
    playing, moves, mates = game.start_probabilities, 0.0, 0.0
    of_choice = np.repeat(np.arange(game.states), ahead.choice_counts)
    of_reply = np.repeat(np.arange(len(game.endings)), game.reply_counts)
    while playing.sum() > 1e-14:
        moves += playing.sum()
        shares = (playing / ahead.choice_counts)[of_choice]
        left = np.bincount(ahead.choices, shares, len(game.endings))
        mates += left[game.endings == 1].sum()
        shares = (left / np.maximum(game.reply_counts, 1))[of_reply]
        playing = np.bincount(ahead.replies, shares, game.states).astype(np.float64)
    assert random_agent(game) == pytest.approx((mates, moves), rel=1e-10)


@cache
def forces_mate(position: Position, moves: int) -> bool:
    """Plain minimax: can the agent mate within so many moves, whatever is replied?"""
    return moves > 0 and any(
        outcome == "mate"
        or (outcome == "ongoing" and all(forces_mate(reply, moves - 1) for reply in replies))
        for outcome, replies in moves_of(position).values()
    )


def test_the_worst_case_by_plain_minimax() -> None:
    forced = by_position(solution().worst_moves)
    for position, moves in zip(positions(), forced, strict=True):
        assert forces_mate(position, int(moves))
        assert not forces_mate(position, int(moves) - 1)
    assert solution().worst_case_moves == forced[start() > 0].max()


def improved(values: Floats, gamma: float, draw: float) -> list[list[int]]:
    """The greedy action of each position for `values` of the next positions; a mate is 1."""
    value_of = dict(zip(positions(), values.tolist(), strict=True))

    def worth(outcome: str, replies: list[Position]) -> float:
        if outcome != "ongoing":
            return 1.0 if outcome == "mate" else draw
        return float(gamma * sum(value_of[reply] for reply in replies) / len(replies))

    return [
        [max(moves, key=lambda action: worth(*moves[action]))]
        for moves in map(moves_of, positions())
    ]


def test_optimal_values_by_policy_iteration() -> None:
    values, before = np.zeros(len(positions())), None
    while before is None or abs(values - before).max() > 1e-14:
        policy = dense(improved(values, GAMMA, DRAW_REWARD))
        before, values = values, policy.values(policy.mate + DRAW_REWARD * policy.draw, GAMMA)
    ours = optimal_values(compile_game(4), GAMMA, DRAW_REWARD)
    assert abs(by_position(ours.states) - values).max() <= ours.error + 1e-14
    assert solution().optimal_value == pytest.approx(start() @ values, abs=1e-12)


def test_least_moves_by_policy_iteration() -> None:
    """From a policy that forces mate, so that every game it plays ends; moves cost 1 each."""
    forced = -by_position(solution().worst_moves)
    values, before = forced, None
    while before is None or abs(values - before).max() > 1e-13:
        policy = dense(improved(values, 1.0, draw=-np.inf))
        assert not policy.draw.any()
        before, values = values, -policy.values(np.ones(len(values)))
    np.testing.assert_allclose(by_position(solution().least_moves), -values, rtol=1e-12)
    assert solution().optimal_mean_moves == pytest.approx(start() @ -values, rel=1e-12)


@pytest.mark.parametrize("size", [4, 5, 6])
def test_rotated_and_mirrored_positions_have_the_same_value(size: int) -> None:
    game = compile_game(size)
    forced = worst_moves(game)
    tables = (
        optimal_values(game, GAMMA, DRAW_REWARD).states, forced, least_moves(game, enough=forced)
    )  # fmt: skip
    state_of = np.full((size**2,) * 3, -1)
    state_of[tuple(game.pieces.T)] = np.arange(game.states)
    board = np.arange(size**2).reshape(size, size)
    for turns in range(4):
        for flipped in (np.rot90(board, turns), np.rot90(board, turns).T):
            images = state_of[tuple(flipped.ravel()[game.pieces].T)]
            there = images >= 0
            assert there.mean() > 0.5
            for table in tables:
                np.testing.assert_allclose(table[there], table[images[there]], atol=2e-12)


def test_forced_mates_on_eight_by_eight_follow_from_chess() -> None:
    """Consistent from each position to the next, with moves and replies of python-chess."""
    game = compile_game(8)
    forced = worst_moves(game)
    assert forced.max() == 10  # as every endgame table has it for king and queen against king
    state_of = {tuple(pieces): state for state, pieces in enumerate(game.pieces.tolist())}
    rng = random.Random(10)
    for state in rng.sample(range(game.states), min(CHESS_STATES, game.states)):
        board = chess_board(game.pieces[state])
        best = min(longest_defence(board, move, forced, state_of) for move in board.legal_moves)
        assert forced[state] == 1 + best


def longest_defence(
    board: chess.Board, move: chess.Move, forced: Floats, state_of: dict[tuple[int, ...], int]
) -> float:
    """Moves to mate after `move`; infinite after stalemate, or if the king can take the queen."""
    board.push(move)
    king, [queen] = board.king(chess.WHITE) or 0, board.pieces(chess.QUEEN, chess.WHITE)
    squares = [reply.to_square for reply in board.legal_moves]
    if board.is_stalemate() or queen in squares:
        longest = np.inf
    else:
        longest = max((forced[state_of[king, queen, square]] for square in squares), default=0.0)
    board.pop()
    return float(longest)
