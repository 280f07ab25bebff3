"""A lesson shared out among threads is the lesson of the whole."""

import numpy as np
import pytest
import torch

from selfmate.data.examples import Examples
from selfmate.learners.alphazero_lesson import Lesson
from selfmate.learners.alphazero_loss import loss_of
from selfmate.nets.crew import Crew
from selfmate.nets.descent import Descent
from selfmate.nets.se_resnet import SeResNet, SeResNetShape
from unit.data.example_rows import examples

WEIGHTS = {"value_weight": 0.5, "entropy_bonus": 0.1}


def make_net() -> SeResNet:
    torch.manual_seed(3)
    return SeResNet(SeResNetShape(blocks=1, filters=8, attention=1))


def gradients(net: SeResNet) -> list[torch.Tensor]:
    return [parameter.grad for parameter in net.parameters() if parameter.grad is not None]


@pytest.mark.parametrize("count", [1, 2, 7])
def test_figures_and_gradient_are_those_of_the_whole_batch(count: int) -> None:
    batch, ours, theirs = examples(7), make_net(), make_net()
    lesson = Lesson([batch], **WEIGHTS)
    norm = lesson.gradient(ours, Descent.adam(ours, 1e9), Crew(count))
    logits, value = theirs(torch.from_numpy(batch.planes))
    loss = loss_of(logits, value, batch)
    assert norm == pytest.approx(
        Descent.adam(theirs, 1e9).gradient(loss.total(**WEIGHTS)), rel=1e-4
    )
    assert list(lesson.figures().values()) == pytest.approx(loss.figures(), rel=1e-5)
    for one, other in zip(gradients(ours), gradients(theirs), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-6)


def test_batches_count_alike() -> None:
    net, batches = make_net(), [examples(5, seed=1), examples(3, seed=2)]
    crew, descent = Crew(2), Descent.adam(net, 1e9)
    both, each = Lesson(batches, **WEIGHTS), [Lesson([batch], **WEIGHTS) for batch in batches]
    for lesson in (both, *each):
        lesson.gradient(net, descent, crew)
    for name, mean in both.figures().items():
        assert mean == pytest.approx(np.mean([one.figures()[name] for one in each]), rel=1e-5)
    assert np.allclose(both.values(), np.concatenate([one.values() for one in each]), atol=1e-6)


def test_shares_are_all_of_the_examples_in_order() -> None:
    whole = examples(7)
    shares = whole.shares(3)
    assert [len(share) for share in shares] == [2, 2, 3]
    for name in ("planes", "policy", "wdl_side_to_move"):
        parts = np.concatenate([getattr(share, name) for share in shares])
        assert np.array_equal(parts, getattr(whole, name))
    assert rows_of(whole) == [row for share in shares for row in rows_of(share)]
    assert [len(share) for share in examples(2).shares(5)] == [1, 1]


def rows_of(batch: Examples) -> list[list[int]]:
    return [row.tolist() for row in np.split(batch.legal.values, batch.legal.offsets[1:-1])]
