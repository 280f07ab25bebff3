"""Opponents: frequencies, sides, and which past bests are kept."""

from collections import Counter

import chess
import numpy as np
import pytest

from selfmate.learners.dqn.config import OPPONENTS
from selfmate.nets.config import QNetConfig
from selfmate.players import Player
from selfmate.players.network import QPlayer
from selfmate.rules import Board, uci_code
from selfmate.runs.run import copied
from selfmate.selfplay.dqn import MAX_PAST, Opponents

SPEC = QNetConfig(hidden=(4,), dueling=False)
NONE = dict.fromkeys(OPPONENTS, 0.0)
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
MATE = 64 * chess.A1 + chess.A8  # of from_to4096


def opponents(**weights: float) -> Opponents:
    return Opponents(SPEC, SPEC.make_net(), NONE | weights)


def players_of(pool: Opponents) -> list[Player]:
    """As a worker makes them."""
    actors = pool.actors(np.zeros((1, 2), np.int64), epsilon=0.0, teacher_depth=0)
    return actors.players([net.load(net.weights or {}) for net in actors.nets])


def names_met(pool: Opponents, games: int = 600) -> Counter[str]:
    names = [player.name for player in players_of(pool)]
    seats = pool.seats(games, np.random.default_rng(1))
    assert (seats == 0).any(axis=1).all(), "the learner plays in every game"
    return Counter(names[number] for number in seats.sum(axis=1).tolist())


def test_opponents_are_met_by_their_weights() -> None:
    pool = opponents(self=0.5, random=0.25, teacher_1=0.125, best=0.125)
    met = names_met(pool, 8000)
    assert met.keys() == {"learner", "random", "teacher:depth=1", "best"}
    assert met["learner"] / 8000 == pytest.approx(0.5, abs=0.03)
    assert met["random"] / 8000 == pytest.approx(0.25, abs=0.03)
    assert met["best"] / 8000 == pytest.approx(0.125, abs=0.03)


def test_the_learner_alternates_sides() -> None:
    seats = opponents(random=1).seats(7, np.random.default_rng(1))
    assert (seats[::2, 0] == 0).all()
    assert (seats[1::2, 1] == 0).all()
    assert (seats.sum(axis=1) > 0).all()


def test_without_past_bests_the_best_is_met() -> None:
    assert names_met(opponents(past=1)).keys() == {"best"}


def test_the_last_bests_are_kept_unchanged() -> None:
    pool = opponents(past=1)
    nets = [SPEC.make_net() for _ in range(MAX_PAST + 2)]
    for number, net in enumerate(nets):
        pool.retire(f"best-{number}", copied(net.arrays()))
    kept = [f"best-{number}" for number in range(2, MAX_PAST + 2)]
    assert names_met(pool).keys() == set(kept)
    players = {player.name: player for player in players_of(pool)}
    boards, seeds = (
        [Board(), Board("4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1")],
        np.zeros(2, np.uint64),
    )
    for name, net in zip(kept, nets[2:], strict=True):
        expected = QPlayer("expected", net, exact_endings=False).choose(boards, seeds).moves
        np.testing.assert_array_equal(players[name].choose(boards, seeds).moves, expected)


def test_only_in_training_games_a_mate_has_to_be_learned() -> None:
    net = SPEC.make_net()
    for array in net.arrays().values():
        array[...] = 0
    net.arrays()["actions.bias"][MATE] = -1
    pool, board = Opponents(SPEC, net, NONE | {"self": 1.0}), Board(MATE_IN_ONE)
    pool.promote(net.arrays())
    pool.retire("best-0", copied(net.arrays()))
    boards, seeds = [board] * 50, np.arange(50, dtype=np.uint64) << np.uint64(58)
    trained = [
        player for player in players_of(pool) if player.name in ("learner", "best", "best-0")
    ]
    assert len(trained) == 3
    for player in trained:
        moves = player.choose(boards, seeds).moves
        assert uci_code("a1a8") not in moves
        assert len(set(moves.tolist())) > 5
    for player in (pool.learner(), pool.best_player()):
        assert set(player.choose(boards, seeds).moves.tolist()) == {uci_code("a1a8")}


def test_the_best_does_not_change_with_the_learner() -> None:
    net = SPEC.make_net()
    pool = Opponents(SPEC, net, NONE | {"best": 1.0})
    pool.promote(net.arrays())
    before = copied(pool.best.arrays())
    for array in net.arrays().values():
        array[...] = 1
    for name, array in pool.best.arrays().items():
        np.testing.assert_array_equal(array, before[name])
