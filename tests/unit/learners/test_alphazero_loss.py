"""The loss of policy and value, computed by hand."""

import math

import numpy as np
import pytest
import torch

from selfmate.data.examples import Examples
from selfmate.learners.alphazero.loss import loss_of
from selfmate.rules import Ragged
from unit.data.example_rows import examples

# Two positions: in the first the actions 5 and 9 are legal, in the second 7 alone.
TWO = Examples(
    planes=np.zeros((2, 96, 8, 8), np.float32),
    legal=Ragged(np.array([5, 9, 7], np.int32), np.array([0, 2, 3])),
    policy=np.array([0.25, 0.75, 1.0], np.float32),
    wdl_side_to_move=np.array([[1, 0, 0], [0, 0.5, 0.5]], np.float32),
)


def logits(**of_first: float) -> torch.Tensor:
    """Illegal actions are the likeliest, as far as the net knows."""
    found = torch.full((2, 4672), 50.0)
    found[0, 5], found[0, 9], found[1, 7] = of_first["five"], of_first["nine"], -3.0
    return found


def test_policy_and_entropy_are_of_legal_moves_alone() -> None:
    loss = loss_of(logits(five=0.0, nine=math.log(3)), torch.zeros(2, 3), TWO)
    # The net says 1/4 and 3/4, as it should, and has no choice in the second position.
    entropy = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75)) / 2
    assert float(loss.policy) == pytest.approx(entropy, rel=1e-6)
    assert float(loss.entropy) == pytest.approx(entropy, rel=1e-6)
    loss = loss_of(logits(five=1.0, nine=1.0), torch.zeros(2, 3), TWO)
    assert float(loss.policy) == pytest.approx(math.log(2) / 2, rel=1e-6)


def test_value_is_cross_entropy_of_win_draw_and_loss() -> None:
    value = torch.log(torch.tensor([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]))
    by_hand = (-math.log(0.5) - 0.5 * math.log(0.6) - 0.5 * math.log(0.3)) / 2
    loss = loss_of(logits(five=0.0, nine=0.0), value, TWO)
    assert float(loss.value) == pytest.approx(by_hand, rel=1e-6)
    total = loss.total(value_weight=5.0, entropy_bonus=0.01)
    assert float(total) == pytest.approx(
        float(loss.policy) + 5 * by_hand - 0.01 * float(loss.entropy), rel=1e-6
    )


def test_a_scalar_value_is_compared_with_wins_minus_losses() -> None:
    value = torch.atanh(torch.tensor([[0.5], [-0.25]]))
    loss = loss_of(logits(five=0.0, nine=0.0), value, TWO)
    assert float(loss.value) == pytest.approx((0.5**2 + 0.25**2) / 2, rel=1e-5)


def test_illegal_actions_get_no_gradient() -> None:
    some = examples(6)
    found = torch.zeros(6, 4672, requires_grad=True)
    loss_of(found, torch.zeros(6, 3), some).policy.backward()  # type: ignore[no-untyped-call]
    assert found.grad is not None
    touched = {(row, action) for row, action in np.argwhere(found.grad.numpy() != 0).tolist()}
    legal = set(zip(some.legal.rows.tolist(), some.legal.values.tolist(), strict=True))
    assert touched == legal
