"""What evaluators say, in any company, and when they learn of new weights."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from selfmate.nets.evaluator import make_evaluator
from selfmate.nets.se_resnet import SeResNet, SeResNetShape

ROWS = 40
PLANES = np.random.default_rng(4).random((ROWS, 68, 8, 8), np.float32)


def seeded_net(*, wdl: bool = True) -> SeResNet:
    torch.manual_seed(1)
    return SeResNet(SeResNetShape(blocks=3, filters=32, wdl=wdl))


def in_one(answer: tuple[NDArray[np.float32], NDArray[np.float32]]) -> NDArray[np.float32]:
    return np.concatenate(answer, axis=1)


def test_answers_are_the_nets() -> None:
    net = seeded_net()
    chances, logits = make_evaluator(net)(PLANES)
    with torch.no_grad():
        policy, value = net(torch.from_numpy(PLANES))
    np.testing.assert_allclose(logits, policy.numpy(), atol=1e-4)
    np.testing.assert_allclose(chances, torch.softmax(value, 1).numpy(), atol=1e-4)
    np.testing.assert_allclose(chances.sum(axis=1), 1, atol=1e-5)


def test_one_number_becomes_chances_without_a_draw() -> None:
    net = seeded_net(wdl=False)
    chances, _ = make_evaluator(net)(PLANES)
    with torch.no_grad():
        scalar = torch.tanh(net(torch.from_numpy(PLANES))[1][:, 0]).numpy()
    np.testing.assert_allclose(chances[:, 0] - chances[:, 2], scalar, atol=1e-4)
    np.testing.assert_allclose(chances[:, 0] + chances[:, 2], 1, atol=1e-5)
    assert not chances[:, 1].any()


def test_a_row_has_the_same_answer_in_any_batch() -> None:
    evaluator = make_evaluator(seeded_net())
    all_rows = in_one(evaluator(PLANES))
    dice = np.random.default_rng(5)
    for count in (1, 2, 3, 7, 8, 15, 16, 17, 33):
        chosen = dice.integers(0, ROWS, count)
        assert in_one(evaluator(PLANES[chosen])).tobytes() == all_rows[chosen].tobytes()


def test_nothing_asked_is_nothing_answered() -> None:
    chances, logits = make_evaluator(seeded_net())(PLANES[:0])
    assert chances.shape == (0, 3)
    assert logits.shape == (0, 4672)


def test_what_a_net_has_learned_is_told_after_a_refresh() -> None:
    net = seeded_net()
    evaluator = make_evaluator(net)
    before = in_one(evaluator(PLANES))
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.01)
    assert in_one(evaluator(PLANES)).tobytes() == before.tobytes()
    evaluator.refresh()
    after = in_one(evaluator(PLANES))
    assert after.tobytes() != before.tobytes()
    assert after.tobytes() == in_one(make_evaluator(net)(PLANES)).tobytes()


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="no engine 'abacus'"):
        make_evaluator(seeded_net(), engine="abacus")
