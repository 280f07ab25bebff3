"""What `bench mcts` counts is what was done."""

from selfmate.encodings import encode
from selfmate.nets.config import ResNetConfig
from selfmate.nets.evaluator import make_evaluator
from selfmate.rules import Board
from selfmate_benchmarks.mcts import (
    evaluate,
    evaluate_with_torch,
    growing_trees,
    search_one_game,
    search_uniformly,
)

NET = ResNetConfig(blocks=1, filters=16, attention_blocks=0).make_net()


def test_simulations_without_a_net() -> None:
    assert search_uniformly([Board(), Board()], 30) == 60
    assert search_uniformly([Board()], 30, leaves_per_game=8) == 30


def test_simulations_that_need_no_evaluation_do_not_count() -> None:
    """One ply before the hundredth without progress: only the root is evaluated."""
    evaluator, drawn = make_evaluator(NET), Board("7k/8/8/8/8/8/8/KQ6 w - - 99 200")
    assert search_one_game(evaluator, Board(), 5) == 6
    assert search_one_game(evaluator, drawn, 5) == 1


def test_trees_grow_batch_by_batch() -> None:
    go = growing_trees(make_evaluator(NET), [Board(), Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")])
    assert [go() for _ in range(3)] == [2, 1, 1]  # the second sees its mate at once


def test_positions_of_the_bare_net() -> None:
    planes = encode("planes96", [Board()] * 3)
    assert evaluate(make_evaluator(NET), planes) == evaluate_with_torch(NET, planes) == 3
