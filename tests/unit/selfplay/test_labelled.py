"""Chunks of labels: the same whoever makes them and when, and what is in them."""

import numpy as np
import pytest
import torch

import selfmate._core as core
from selfmate.data.scored_positions import ScoredPositions
from selfmate.nets.config import QNetConfig
from selfmate.nets.evaluator import QNetEvaluator
from selfmate.selfplay.labelled import LabelPlan, LabelStream

PLAN = LabelPlan(
    seed=3,
    chunk_positions=300,
    depth=1,
    own_fraction=0.5,
    random_fraction=0.2,
    endgame_fraction=0.2,
)


def net(seed: int) -> core.PositionEvaluator:
    torch.manual_seed(seed)
    return QNetEvaluator(QNetConfig(hidden=(8,)).make_net())


def same(one: ScoredPositions, other: ScoredPositions) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("packed", "actions", "centipawns", "offsets")
    )


def test_a_chunk_depends_on_seed_number_and_net_alone() -> None:
    chunk = PLAN.chunk(5, net(1))
    assert len(chunk) == 300
    assert same(chunk, PLAN.chunk(5, net(1)))
    assert not same(chunk, PLAN.chunk(6, net(1)))
    assert not same(chunk, PLAN.chunk(5, net(2)))
    assert not same(chunk, PLAN.chunk(5, None))
    assert same(PLAN.chunk(5, None), PLAN.chunk(5, None))


def test_threads_change_nothing() -> None:
    found = []
    for threads in (1, 3):
        with LabelStream(PLAN, threads) as stream:
            stream.ask(range(4), net(1))
            stream.ask(range(2, 6), net(2))  # those that were asked for keep their net
            found.append([stream.take(number) for number in range(6)])
    for one, other in zip(*found, strict=True):
        assert same(one, other)
    assert same(found[0][3], PLAN.chunk(3, net(1)))
    assert same(found[0][4], PLAN.chunk(4, net(2)))


def test_what_was_forgotten_is_made_anew() -> None:
    with LabelStream(PLAN, 1) as stream:
        stream.ask(range(2), net(1))
        stream.forget()
        stream.ask(range(2), net(2))
        assert same(stream.take(1), PLAN.chunk(1, net(2)))


def test_an_error_in_a_chunk_reaches_the_learner() -> None:
    with LabelStream(LabelPlan(seed=1, chunk_positions=10, depth=99), 1) as stream:
        stream.ask([0])
        with pytest.raises(ValueError, match="depth 99 is not in"):
            stream.take(0)


def test_targets_by_hand() -> None:
    """Two positions, of three and of one legal move."""
    positions = ScoredPositions(
        packed=np.zeros((2, 107), np.uint8),
        actions=np.array([7, 8, 9, 5], np.int16),
        centipawns=np.array([-100, 100, 0, 400], np.int16),
        offsets=np.array([0, 3, 4]),
    )
    batch = positions.batch(np.array([1, 0]), sharpness=2.0)
    assert batch.legal.values.tolist() == [5, 7, 8, 9]
    assert batch.best.tolist() == [0, 2]
    assert batch.values == pytest.approx(np.tanh([1.0, 0.25]))
    powers = np.exp([-2.0, 2.0, 0.0])
    assert batch.probs == pytest.approx([1.0, *(powers / powers.sum())])
