"""Validation metrics against the same counted one by one."""

import numpy as np
import pytest
import torch

from selfmate.learners.alphazero.loss import calibration_error, validate
from selfmate.nets.config import ResNetConfig
from selfmate.nets.resnet import SeResNet
from unit.data.example_rows import examples

PARTS = [examples(9, seed=1), examples(4, seed=2)]


@pytest.fixture
def net() -> SeResNet:
    torch.manual_seed(3)
    made = ResNetConfig(blocks=1, filters=8, attention_blocks=0).make_net()
    torch.nn.init.normal_(made.policy.weight)
    return made


def test_matches_are_counted_among_legal_moves(net: SeResNet) -> None:
    first, fifth = 0, 0
    for part in PARTS:
        with torch.inference_mode():
            logits = net(torch.from_numpy(part.planes))[0].numpy()
        for row in range(len(part)):
            at = slice(part.legal.offsets[row], part.legal.offsets[row + 1])
            scores = logits[row, part.legal.values[at]]
            rank = (scores > scores[part.policy[at].argmax()]).sum()
            first, fifth = first + (rank == 0), fifth + (rank < 5)
    found = validate(net, PARTS)
    assert found["match1"] == pytest.approx(first / 13)
    assert found["match5"] == pytest.approx(fifth / 13)


def test_an_indifferent_net_matches_nothing(net: SeResNet) -> None:
    for parameter in net.policy.parameters():
        torch.nn.init.zeros_(parameter)
    assert validate(net, PARTS)["match5"] == 0


def test_losses_are_means_over_positions_whatever_the_parts(net: SeResNet) -> None:
    whole, again = validate(net, PARTS), validate(net, reversed(PARTS))
    assert whole == pytest.approx(again, rel=1e-5)
    alone = [validate(net, [part]) for part in PARTS]
    for name in ("validation_policy_loss", "validation_wdl_loss", "wdl_accuracy"):
        by_hand = (9 * alone[0][name] + 4 * alone[1][name]) / 13
        assert whole[name] == pytest.approx(by_hand, rel=1e-5)


def test_calibration_by_hand() -> None:
    """Predicted 0.8, 0.2 and 0 of win, draw and loss five times; there were three wins."""
    predicted = np.tile(np.array([[0.8, 0.2, 0.0]], np.float32), (5, 1))
    actual = np.zeros((5, 3), np.float32)
    actual[:3, 0], actual[3, 1], actual[4, 2] = 1, 1, 1
    # Bins of 15 probabilities: wins 5 x 0.8 against 3, draws 5 x 0.2 against 1, losses 0 against 1.
    assert calibration_error(predicted, actual) == pytest.approx((1 + 0 + 1) / 15, abs=1e-6)
    assert calibration_error(actual, actual) == 0
