"""Who is met how often, on which side, and which earlier bests stay."""

from collections import Counter

import numpy as np
import pytest

from selfmate.learners.dqn_config import OPPONENTS
from selfmate.learners.opponents import MOST_PAST, Opponents
from selfmate.players.q_player import QPlayer, QPlayerSpec
from selfmate.rules import Board
from selfmate.runs.live import copied

SPEC = QPlayerSpec(hidden=(4,), dueling=False)
NONE = dict.fromkeys(OPPONENTS, 0.0)


def opponents(**weights: float) -> Opponents:
    return Opponents(SPEC, SPEC.make_net(), NONE | weights)


def names_met(pool: Opponents, games: int = 600) -> Counter[str]:
    names = [player.name for player in pool.players()]
    seats = pool.seats(games, np.random.default_rng(1))
    assert (seats == 0).any(axis=1).all(), "the learner plays in every game"
    return Counter(names[number] for number in seats.sum(axis=1).tolist())


def test_they_are_met_as_often_as_their_weights_say() -> None:
    pool = opponents(self=0.5, random=0.25, teacher_1=0.125, best=0.125)
    met = names_met(pool, 8000)
    assert met.keys() == {"learner", "random", "teacher:depth=1", "best"}
    assert met["learner"] / 8000 == pytest.approx(0.5, abs=0.03)
    assert met["random"] / 8000 == pytest.approx(0.25, abs=0.03)
    assert met["best"] / 8000 == pytest.approx(0.125, abs=0.03)


def test_the_learner_has_each_side_in_turn() -> None:
    seats = opponents(random=1).seats(7, np.random.default_rng(1))
    assert (seats[::2, 0] == 0).all()
    assert (seats[1::2, 1] == 0).all()
    assert (seats.sum(axis=1) > 0).all()


def test_without_earlier_bests_it_is_the_best_that_is_met() -> None:
    assert names_met(opponents(past=1)).keys() == {"best"}


def test_the_last_bests_stay_to_be_met_as_they_were() -> None:
    pool = opponents(past=1)
    nets = [SPEC.make_net() for _ in range(MOST_PAST + 2)]
    for number, net in enumerate(nets):
        pool.retire(f"best-{number}", copied(net.arrays()))
    kept = [f"best-{number}" for number in range(2, MOST_PAST + 2)]
    assert names_met(pool).keys() == set(kept)
    players = {player.name: player for player in pool.players()}
    boards, dice = [Board(), Board("4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1")], np.zeros(2, np.uint64)
    for name, net in zip(kept, nets[2:], strict=True):
        expected = QPlayer("expected", net).choose(boards, dice).moves
        np.testing.assert_array_equal(players[name].choose(boards, dice).moves, expected)


def test_the_best_does_not_learn_on() -> None:
    net = SPEC.make_net()
    pool = Opponents(SPEC, net, NONE | {"best": 1.0})
    pool.promote(net.arrays())
    before = copied(pool.best.arrays())
    for array in net.arrays().values():
        array[...] = 1
    for name, array in pool.best.arrays().items():
        np.testing.assert_array_equal(array, before[name])
