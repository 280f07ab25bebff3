"""Self-play with attempts: recorded attempts, moves and results, and the trap of repeated games."""

from collections.abc import Sequence

import pytest
import torch

from selfmate.data.trajectories import AttemptTrajectories
from selfmate.encodings.records import flipped, is_white_to_move
from selfmate.nets.config import TransformerConfig
from selfmate.nets.evaluator import TransformerEvaluator
from selfmate.nets.transformer import Transformer
from selfmate.rules import Board
from selfmate.selfplay.games import GamePlan, GameStats, play_games
from selfmate.selfplay.searchless import AttemptingActor, attempt_trajectories


def net() -> Transformer:
    torch.manual_seed(1)
    return TransformerConfig(width=16, blocks=1, heads=2).make_net()


def boards_of(count: int, start: Board | None = None) -> list[Board]:
    return [(start or Board()).copy() for _ in range(count)]


def play(
    boards: Sequence[Board],
    *,
    threads: int = 1,
    parallel_games: int = 3,
    temperature: float = 1.0,
    max_plies: int = 12,
    max_attempts: int = 4,
    must_win: bool = False,
) -> tuple[AttemptTrajectories, GameStats]:
    evaluator = TransformerEvaluator(net())
    actor = AttemptingActor(net=evaluator, temperature=temperature, max_attempts=max_attempts)
    plan = GamePlan(boards=boards, max_plies=max_plies, seed=7, parallel_games=parallel_games)
    games = play_games([actor] * threads, plan)
    return attempt_trajectories(games, boards, must_win=must_win), games.stats


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
    fools_mate = Board()
    for move in ("f2f3", "e7e5", "g2g4"):
        fools_mate.push(move)
    rows, stats = play(boards_of(200, fools_mate), max_plies=1, max_attempts=1968)
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
