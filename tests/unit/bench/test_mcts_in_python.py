"""The search in Python is one that anybody could use, and goes the ways of ours."""

import chess
import numpy as np
import pytest
import torch

from selfmate.bench.mcts import board_of_python_chess
from selfmate.bench.mcts_in_python import ending, knowing_nothing, visits_of
from selfmate.bench.torch_net import with_net, with_torch_convolutions
from selfmate.nets.evaluator import make_evaluator
from selfmate.nets.se_resnet import SeResNet, SeResNetShape
from selfmate.rules import Board, uci_text
from selfmate.search.tree import Forest, TreeSettings

MATES = (
    ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8"),
    ("6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1", "g5f7"),
    ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", "g1g7"),
)
QUIET = (
    (),
    ("e2e4", "c7c5", "g1f3", "d7d6", "d2d4", "c5d4"),
    ("d2d4", "g8f6", "c2c4", "e7e6", "b1c3", "f8b4"),
)
SLOT = np.zeros(1, np.int64)


def sharp_net() -> SeResNet:
    """That prefers some moves by far, so that no two ways are equally good."""
    torch.manual_seed(1)
    net = SeResNet(SeResNetShape(blocks=1, filters=16, attention=1))
    with torch.no_grad():
        net.policy.weight *= 50
        net.value.out.weight *= 50
    return net


def visits_of_ours(net: SeResNet, board: Board, settings: TreeSettings, simulations: int,
                   batch: int) -> dict[str, int]:  # fmt: skip
    forest = Forest(make_evaluator(net), settings, batch=batch)
    forest.plant(SLOT, [board])
    forest.grow(SLOT, simulations)
    found = forest.moves(SLOT)
    return {uci_text(int(m)): int(n) for m, n in zip(found.moves, found.visits, strict=True)}


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("line", QUIET)
def test_both_visit_the_same_moves_as_often(line: tuple[str, ...], batch: int) -> None:
    net, settings = sharp_net(), TreeSettings(leaves_per_game=batch)
    board = Board()
    for move in line:
        board.push(move)
    ours = visits_of_ours(net, board, settings, 120, batch)
    theirs = with_net(with_torch_convolutions(net), settings, batch=batch)
    assert ours == visits_of(theirs.search(board_of_python_chess(board), 120))
    assert len(set(ours.values())) > 3


@pytest.mark.parametrize(("fen", "mate"), MATES)
@pytest.mark.parametrize("batch", [1, 8])
def test_mates_are_found(fen: str, mate: str, batch: int) -> None:
    board = chess.Board(fen)
    root = knowing_nothing(TreeSettings(), batch=batch).search(board, 300)
    visits = visits_of(root)
    assert max(visits, key=lambda move: visits[move]) == mate
    assert board.fen() == fen


@pytest.mark.parametrize("batch", [1, 8])
def test_every_simulation_counts_once(batch: int) -> None:
    search = knowing_nothing(TreeSettings(), batch=batch)
    root = search.search(chess.Board(), 50)
    assert sum(visits_of(root).values()) == root.visits - 1 == root.begun == 50
    assert search.evaluations == 51  # nothing ends here, and the root has one, too


def test_drawn_and_mated_positions_have_their_values() -> None:
    values = {
        "7k/5KQ1/8/8/8/8/8/8 b - - 0 1": -1.0,
        "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1": 0.0,
        "7k/8/8/8/8/8/8/K7 w - - 0 1": 0.0,
        "7k/8/8/8/8/8/8/KQ6 w - - 100 200": 0.0,
        "7k/8/8/8/8/8/8/KQ6 w - - 99 200": None,
    }
    for fen, value in values.items():
        board = chess.Board(fen)
        assert ending(board, list(board.legal_moves)) == value
