"""Nets that the core computes play the moves of the same nets in torch."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from selfmate.nets.config import MoveScorerConfig, QNetConfig
from selfmate.nets.evaluator import CoreNet
from selfmate.players.evaluation import evaluate
from selfmate.players.network import QPlayer, ScorerPlayer
from selfmate.players.player import Player
from selfmate.rules import Board, GameBatch
from selfmate.runs import copied
from unit.players.trained_runs import seeded_net

PROMOTION = Board("1n5k/P7/8/8/8/8/6p1/K6N w - - 0 1")
Q_NETS = [
    QNetConfig(hidden=(32, 16)),
    QNetConfig(hidden=(16,), dueling=False, move_kinds=False, inputs="features839"),
]
SCORERS = [
    MoveScorerConfig(encoding="onehot768", hidden=(16, 8)),
    MoveScorerConfig(encoding="turned768", hidden=(16, 8), value_head=True),
    MoveScorerConfig(encoding="counts", hidden=(8,), value_head=True),
]


def positions() -> list[Board]:
    """Of random games, both sides to move, and one with promotions."""
    batch, boards = GameBatch(24, seed=3), [PROMOTION]
    for ply in range(60):
        if ply % 9 == 0:
            boards += [batch.board(slot) for slot in range(len(batch))]
        batch.step(batch.random_moves())
    return boards


def moves_of(player: Player, boards: list[Board]) -> NDArray[np.uint16]:
    return player.choose(boards, np.arange(len(boards), dtype=np.uint64)).moves


def assert_same_moves(players: Sequence[Player], boards: list[Board]) -> None:
    one, other = (moves_of(player, boards) for player in players)
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("config", Q_NETS)
@pytest.mark.parametrize("exact_endings", [True, False])
@pytest.mark.parametrize("temperature", [0.0, 0.1])
def test_q_nets_play_the_same_moves(
    config: QNetConfig, exact_endings: bool, temperature: float
) -> None:
    net, boards = seeded_net(config, 5), positions()
    players = [
        QPlayer("net", one, temperature, exact_endings=exact_endings)
        for one in (net, CoreNet(config, net.arrays()))
    ]
    assert_same_moves(players, boards)


def test_equal_values_are_equal_in_the_core_too() -> None:
    """All moves are alike to this net, so that the seed alone chooses, among the same moves."""
    net, boards = seeded_net(Q_NETS[0], 1), positions()
    with torch.no_grad():
        for parameters in (net.actions.weight, net.actions.bias):
            parameters.zero_()
    players = [QPlayer("net", one) for one in (net, CoreNet(net.config, net.arrays()))]
    assert_same_moves(players, boards)
    assert len(np.unique(moves_of(players[1], boards))) > 100


@pytest.mark.parametrize("config", SCORERS)
@pytest.mark.parametrize("looks_ahead", [False, True])
def test_move_scorers_play_the_same_moves(config: MoveScorerConfig, looks_ahead: bool) -> None:
    torch.manual_seed(2)
    net, boards = config.make_net(), positions()
    players = [
        ScorerPlayer("net", config, one, 0.5, looks_ahead)
        for one in (net, CoreNet(config, net.arrays()))
    ]
    assert_same_moves(players, boards)


@pytest.mark.parametrize("config", [*Q_NETS, *SCORERS])
def test_evaluations_are_the_same(config: QNetConfig | MoveScorerConfig) -> None:
    torch.manual_seed(3)
    net, boards = config.make_net(), positions()
    wanted, found = evaluate(net, boards), evaluate(CoreNet(config, net.arrays()), boards)
    np.testing.assert_array_equal(found.moves, wanted.moves)
    np.testing.assert_array_equal(found.offsets, wanted.offsets)
    np.testing.assert_allclose(found.probabilities, wanted.probabilities, atol=1e-5)
    assert (found.values_side_to_move is None) == (wanted.values_side_to_move is None)
    if wanted.values_side_to_move is not None and found.values_side_to_move is not None:
        np.testing.assert_allclose(found.values_side_to_move, wanted.values_side_to_move, atol=1e-5)


def test_a_core_net_keeps_its_weights_and_a_torch_net_is_followed() -> None:
    net, boards = seeded_net(Q_NETS[0], 1), positions()
    learning, fixed = QPlayer("a", net), QPlayer("b", CoreNet(net.config, copied(net.arrays())))
    before = moves_of(fixed, boards)
    net.take(seeded_net(Q_NETS[0], 2).arrays())
    np.testing.assert_array_equal(moves_of(fixed, boards), before)
    assert (moves_of(learning, boards) != before).any()
