"""Self-play with attempts: recorded attempts, moves and results, and the trap of repeated games."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from selfmate.data.trajectories import AttemptTrajectories
from selfmate.encodings.records import flipped, is_white_to_move
from selfmate.nets.config import TransformerConfig
from selfmate.nets.evaluator import TransformerEvaluator
from selfmate.nets.transformer import Transformer
from selfmate.rules import Board
from selfmate.selfplay.games import GamePlan, GameStats, play_games
from selfmate.selfplay.searchless import AttemptingActor, attempt_trajectories, relative_results

FOOLS_MATE = ("f2f3", "e7e5", "g2g4")


def net() -> Transformer:
    torch.manual_seed(1)
    return TransformerConfig(width=16, blocks=1, heads=2).make_net()


def boards_of(count: int, start: Board | None = None) -> list[Board]:
    return [(start or Board()).copy() for _ in range(count)]


def board_after(*moves: str) -> Board:
    board = Board()
    for move in moves:
        board.push(move)
    return board


def play(
    boards: Sequence[Board],
    *,
    threads: int = 1,
    parallel_games: int = 3,
    temperature: float = 1.0,
    max_plies: int = 12,
    max_attempts: int = 4,
    must_win: bool = False,
    games_per_start: int = 1,
    plays_mate_in_one: bool = False,
    random_sides: NDArray[np.int8] | None = None,
) -> tuple[AttemptTrajectories, GameStats]:
    evaluator = TransformerEvaluator(net())
    actor = AttemptingActor(
        net=evaluator,
        temperature=temperature,
        max_attempts=max_attempts,
        plays_mate_in_one=plays_mate_in_one,
        random_sides=random_sides,
    )
    plan = GamePlan(boards=boards, max_plies=max_plies, seed=7, parallel_games=parallel_games)
    games = play_games([actor] * threads, plan)
    rows = attempt_trajectories(
        games,
        boards,
        must_win=must_win,
        games_per_start=games_per_start,
        random_sides=random_sides,
    )
    return rows, games.stats


def test_rows_are_the_plies_of_the_games() -> None:
    boards = boards_of(5)
    rows, stats = play(boards, threads=2)
    assert len(rows) == sum(len(board.moves) for board in boards) == 60
    assert stats.endings == {"ply_limit": 5}
    legal = rows.token_batch().legal
    legal.find(rows.played)  # each is among them
    for row in range(60):
        of_row = legal.values[legal.offsets[row] : legal.offsets[row + 1]]
        tried = rows.tried.values[rows.tried.offsets[row] : rows.tried.offsets[row + 1]]
        assert not set(of_row.tolist()) & set(tried.tolist())
        assert len(set(tried.tolist())) == len(tried) <= 4
    assert rows.moves_left[:12].tolist() == [6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1]
    assert not rows.results_side_to_move.any()


def test_results_are_in_the_view_of_the_side_to_move() -> None:
    rows, stats = play(boards_of(200, board_after(*FOOLS_MATE)), max_plies=1, max_attempts=1968)
    assert stats.endings["checkmate"] == stats.decided > 0
    won = rows.results_side_to_move == 1
    assert won.sum() == stats.endings["checkmate"]
    assert rows.moves_left[won].tolist() == [1] * int(won.sum())
    mate = flipped(rows.played[won], ~is_white_to_move(rows.stored[won]))
    assert len(set(mate.tolist())) == 1


@pytest.mark.parametrize(("must_win", "of_stalemate"), [(True, -1), (False, 0)])
def test_a_stalemate_can_count_as_lost_by_the_side_that_should_have_won(
    must_win: bool, of_stalemate: int
) -> None:
    start = Board("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1")
    boards = boards_of(200, start)
    rows, stats = play(boards, max_plies=1, max_attempts=1968, must_win=must_win)
    outcomes = [board.outcome() for board in boards]
    reasons = [outcome.reason if outcome else "truncated" for outcome in outcomes]
    assert set(reasons) == {"truncated", "checkmate", "stalemate"}
    taught = {"truncated": 0, "checkmate": 1, "stalemate": of_stalemate}
    assert rows.results_side_to_move.tolist() == [taught[reason] for reason in reasons]
    assert stats.decided == reasons.count("checkmate")  # the statistics stay true


def test_a_mate_in_one_is_played_whatever_the_net_says() -> None:
    boards = boards_of(20, board_after(*FOOLS_MATE))
    rows, stats = play(boards, max_plies=1, plays_mate_in_one=True)
    assert stats.endings == {"checkmate": 20}
    assert [board.moves[-1] for board in boards] == ["d8h4"] * 20
    assert rows.results_side_to_move.tolist() == [1] * 20
    assert rows.tried.counts.sum() > 0  # what it attempted before is learned from


def test_only_the_moves_of_the_net_are_recorded_against_a_random_player() -> None:
    sides = np.array([1, -1, 0], np.int8)  # that move at random
    rows, stats = play(boards_of(3), max_plies=5, random_sides=sides)
    assert stats.plies == 15
    assert is_white_to_move(rows.stored).tolist() == [
        *[False] * 2, *[True] * 3, True, False, True, False, True
    ]  # fmt: skip
    assert rows.moves_left.tolist() == [2, 1, 3, 2, 1, 3, 2, 2, 1, 1]


@pytest.mark.parametrize("threads", [1, 2])
def test_games_against_a_random_player_do_not_depend_on_the_games_beside_them(threads: int) -> None:
    sides = np.array([1, -1, 0] * 8, np.int8)
    few, many = boards_of(24), boards_of(24)
    play(few, threads=threads, parallel_games=3, random_sides=sides)
    play(many, threads=threads, parallel_games=20, random_sides=sides)
    assert [board.moves for board in few] == [board.moves for board in many]
    alone = boards_of(24)
    play(alone, random_sides=1 - 2 * (np.arange(24) % 2).astype(np.int8))
    assert [board.moves for board in alone] != [board.moves for board in few]


def test_results_of_games_from_one_start_are_relative_to_the_others() -> None:
    results, counted = np.array([1, 0, 0, -1, -1, -1]), np.ones(6, np.bool_)
    assert relative_results(results, counted, 3).tolist() == [1, -0.5, -0.5, 0, 0, 0]
    assert relative_results(results, counted, 1).tolist() == results.tolist()
    counted[1] = False
    assert relative_results(results, counted, 3).tolist() == [1, 0, -1, 0, 0, 0]
    counted[2] = False
    assert relative_results(results, counted, 3).tolist() == [1, 0, 0, 0, 0, 0]


def test_truncated_games_count_against_a_random_player_alone() -> None:
    """Black mates or is truncated; only pairs of one game each say something."""
    for sides, of_truncated in ((None, 0.0), (np.full(200, 1, np.int8), -1.0)):
        boards = boards_of(200, board_after(*FOOLS_MATE))
        rows, stats = play(
            boards, max_plies=1, max_attempts=1968, games_per_start=2, random_sides=sides
        )
        won = np.array([board.outcome() is not None for board in boards])
        assert 0 < stats.decided == won.sum() < 100
        mixed = won.reshape(100, 2).sum(axis=1).repeat(2) == 1
        assert set(rows.results_side_to_move[mixed & ~won].tolist()) == {of_truncated}
        assert set(rows.results_side_to_move[won].tolist()) == {1.0}


def test_a_mate_keeps_its_result_whatever_the_other_games_did() -> None:
    """From this start all games are won, so that other moves of them would teach nothing."""
    boards = boards_of(2, board_after(*FOOLS_MATE))
    rows, _ = play(boards, max_plies=1, plays_mate_in_one=True, games_per_start=2)
    assert rows.results_side_to_move.tolist() == [1, 1]


@pytest.mark.parametrize("threads", [1, 2])
def test_games_do_not_depend_on_the_games_beside_them(threads: int) -> None:
    few, many = boards_of(24), boards_of(24)
    play(few, threads=threads, parallel_games=3)
    play(many, threads=threads, parallel_games=20)
    assert [board.moves for board in few] == [board.moves for board in many]


def test_without_temperature_all_games_are_the_same() -> None:
    _, trapped = play(boards_of(6), temperature=0.0)
    assert trapped.distinct == 1
    _, free = play(boards_of(6), temperature=1.0, max_attempts=64)
    assert free.distinct == 6
