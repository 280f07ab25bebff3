"""What `bench mcts` counts is what was done."""

from selfmate.bench.mcts import ask, ask_torch, grow, grow_one_by_one, grow_trivially
from selfmate.encodings import encode
from selfmate.nets.evaluator import make_evaluator
from selfmate.nets.se_resnet import SeResNet, SeResNetShape
from selfmate.rules import Board

NET = SeResNet(SeResNetShape(blocks=1, filters=16, attention=0))


def test_simulations_without_a_net() -> None:
    assert grow_trivially([Board(), Board()], 30) == 60
    assert grow_trivially([Board()], 30, leaves_per_game=8) == 30


def test_simulations_that_need_no_evaluation_do_not_count() -> None:
    """One ply before the hundredth without progress: only the root is evaluated."""
    evaluator, drawn = make_evaluator(NET), Board("7k/8/8/8/8/8/8/KQ6 w - - 99 200")
    assert grow(evaluator, [Board(), drawn], 5) == 6 + 1
    assert grow_one_by_one(evaluator, [Board(), drawn], 5) == 6 + 1


def test_positions_of_the_bare_net() -> None:
    planes = encode("planes68", [Board()] * 3)
    assert ask(make_evaluator(NET), planes, 2) == 6
    assert ask_torch(NET, planes, 2) == 6
