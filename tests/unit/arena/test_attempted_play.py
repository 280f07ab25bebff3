"""Games by trial: rows that tell what was tried, played and what came of it; the draw trap."""

import pytest
import torch

from selfmate.arena.attempted_play import Plan, play_games
from selfmate.encodings.sentences import turned
from selfmate.encodings.stored import is_white_to_move
from selfmate.nets.transformer import Transformer
from selfmate.players.policy_spec import TransformerSpec
from selfmate.rules import Board


def net() -> Transformer:
    torch.manual_seed(1)
    return TransformerSpec(width=16, blocks=1, heads=2).make_net()


def plan(
    count: int,
    start: Board | None = None,
    *,
    at_once: int = 3,
    temperature: float = 1.0,
    max_plies: int = 12,
    attempts: int = 4,
    must_win: bool = False,
) -> Plan:
    return Plan(
        boards=[(start or Board()).copy() for _ in range(count)],
        at_once=at_once,
        temperature=temperature,
        attempts=attempts,
        max_plies=max_plies,
        seed=7,
        must_win=must_win,
    )


def test_rows_follow_the_games() -> None:
    asked = plan(5)
    rows, ends = play_games(net(), asked, threads=2)
    assert len(rows) == sum(len(board.moves) for board in asked.boards) == 60
    assert ends.reasons == {"ply_limit": 5}
    legal = rows.sentences().legal
    legal.find(rows.played)  # each is among them
    for row in range(60):
        of_row = legal.values[legal.offsets[row] : legal.offsets[row + 1]]
        tried = rows.tried.values[rows.tried.offsets[row] : rows.tried.offsets[row + 1]]
        assert not set(of_row.tolist()) & set(tried.tolist())
        assert len(set(tried.tolist())) == len(tried) <= 4
    assert rows.moves_left[:12].tolist() == [6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1]
    assert not rows.results_side_to_move.any()


def test_the_winner_is_seen_from_the_side_to_move() -> None:
    fools_mate = Board()
    for move in ("f2f3", "e7e5", "g2g4"):
        fools_mate.push(move)
    rows, ends = play_games(net(), plan(200, fools_mate, max_plies=1, attempts=1968), threads=1)
    assert ends.reasons["checkmate"] == len(ends.plies_of_wins) > 0
    won = rows.results_side_to_move == 1
    assert won.sum() == ends.reasons["checkmate"]
    assert rows.moves_left[won].tolist() == [1] * int(won.sum())
    mate = turned(rows.played[won], ~is_white_to_move(rows.stored[won]))
    assert len(set(mate.tolist())) == 1


@pytest.mark.parametrize(("must_win", "of_stalemate"), [(True, -1), (False, 0)])
def test_a_stalemate_can_count_as_lost_by_who_should_have_won(
    must_win: bool, of_stalemate: int
) -> None:
    start = Board("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1")
    asked = plan(200, start, max_plies=1, attempts=1968, must_win=must_win)
    rows, ends = play_games(net(), asked, threads=1)
    outcomes = [board.outcome() for board in asked.boards]
    reasons = [outcome.reason if outcome else "cut" for outcome in outcomes]
    assert set(reasons) == {"cut", "checkmate", "stalemate"}
    taught = {"cut": 0, "checkmate": 1, "stalemate": of_stalemate}
    assert rows.results_side_to_move.tolist() == [taught[reason] for reason in reasons]
    assert len(ends.plies_of_wins) == reasons.count("checkmate")  # told as they were


@pytest.mark.parametrize("threads", [1, 2])
def test_games_do_not_depend_on_who_plays_beside_them(threads: int) -> None:
    few, many = plan(24, at_once=3), plan(24, at_once=20)  # of which four wait in turn
    play_games(net(), few, threads)
    play_games(net(), many, threads)
    assert [board.moves for board in few.boards] == [board.moves for board in many.boards]


def test_without_chance_there_is_one_game_for_ever_and_chance_cures_it() -> None:
    _, trapped = play_games(net(), plan(6, temperature=0.0), threads=1)
    assert trapped.distinct == 1
    _, free = play_games(net(), plan(6, temperature=1.0, attempts=64), threads=1)
    assert free.distinct == 6
