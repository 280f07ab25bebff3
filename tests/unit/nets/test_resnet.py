"""The net's shapes, the order of its actions, its switches and how it starts."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from selfmate import Board
from selfmate.encodings import encode, legal_actions
from selfmate.nets.config import ResNetConfig
from selfmate.nets.resnet import SeResNet


def seeded_net(**switches: Any) -> SeResNet:
    torch.manual_seed(1)
    config: dict[str, Any] = {"blocks": 2, "filters": 16, "attention_blocks": 1}
    return ResNetConfig(**config | switches).make_net()


def some_planes(rows: int) -> Tensor:
    return torch.rand(rows, 96, 8, 8, generator=torch.Generator().manual_seed(2))


def parameters(net: SeResNet) -> int:
    return sum(parameter.numel() for parameter in net.parameters())


@pytest.mark.parametrize("wdl", [True, False])
def test_a_row_has_a_logit_for_each_action_and_outcome(wdl: bool) -> None:
    policy, value = seeded_net(wdl=wdl)(some_planes(3))
    assert policy.shape == (3, 4672)
    assert value.shape == (3, 3 if wdl else 1)


OWN_KING = 5  # its plane


def eye_for_the_king(kind: int) -> SeResNet:
    """Set by hand to move the own king, by this kind of move."""
    net = seeded_net(attention_blocks=0)
    with torch.no_grad():
        for weight in (net.stem.weight, net.policy.weight, net.policy.bias):
            assert weight is not None
            weight.zero_()
        net.stem.weight[0, OWN_KING, 1, 1] = 1
        net.policy.weight[kind, 0] = 100
        for name, parameter in net.named_parameters():
            if name.endswith("second_norm.weight"):
                parameter.zero_()
    return net


@pytest.mark.parametrize("side", ["w", "b"])
def test_an_action_is_its_square_and_its_kind_of_move(side: str) -> None:
    board = [Board(f"5k2/8/8/8/8/8/8/1K6 {side} - - 0 1")]
    planes = torch.from_numpy(encode("planes96", board))
    actions, _ = legal_actions("az4672", board)
    assert len(actions) == 5
    for action in actions:
        policy, _ = eye_for_the_king(action % 73)(planes)
        assert policy.argmax() == action
        assert torch.softmax(policy, 1).max() > 0.99


@pytest.mark.parametrize(
    ("without", "fewer"),
    [
        ({"attention_blocks": 0}, 2 * 16 + 64 * 16 + (16 * 48 + 48) + (16 * 16 + 16)),
        ({"squeeze_excitation": False}, 2 * ((16 * 2 + 2) + (2 * 16 + 16))),
        ({"wdl": False}, 2 * 513),
        ({"semantic_planes": False}, 8 * 16 * 9),
        ({"tactical_planes": True}, -28 * 16 * 9),
        ({"policy_pairs": True}, -(2 * 16 * 16 + 2 * 16)),
    ],
)
def test_a_switch_adds_or_takes_away_its_weights(without: dict[str, Any], fewer: int) -> None:
    assert parameters(seeded_net()) - parameters(seeded_net(**without)) == fewer


def test_the_parameters_of_a_whole_net() -> None:
    stem, block = 68 * 16 * 9 + 32, 2 * (16 * 16 * 9 + 32)
    policy, value = 16 * 73 + 73, (16 * 8 + 8) + (512 * 512 + 512) + 3 * 513
    plain = seeded_net(attention_blocks=0, squeeze_excitation=False)
    assert parameters(plain) == stem + 2 * block + policy + value


@pytest.mark.parametrize(
    ("switches", "read"),
    [({"semantic_planes": False}, 60), ({}, 68), ({"tactical_planes": True}, 96)],
)
def test_planes_behind_those_of_its_switches_are_not_seen(
    switches: dict[str, Any], read: int
) -> None:
    planes, net = some_planes(2), seeded_net(**switches)
    other = planes.clone()
    other[:, read:] = 0
    assert_close(net(planes), net(other))
    other[:, read - 1] = 0
    with pytest.raises(AssertionError):
        assert_close(net(planes), net(other))


def test_tactical_planes_need_the_semantic_ones() -> None:
    with pytest.raises(ValueError, match="tactical_planes are behind the semantic ones"):
        ResNetConfig(tactical_planes=True, semantic_planes=False)


def test_pairs_join_the_squares_of_a_move() -> None:
    """Set by hand to prefer moves from where the own king stands to where the enemy king stands."""
    net = seeded_net(attention_blocks=0, policy_pairs=True)
    with torch.no_grad():
        net.pairs.weight.zero_()
        net.pairs.bias.zero_()
        net.pairs.weight[0, 3] = net.pairs.weight[16, 5] = 1
        board = torch.zeros(1, 16, 8, 8)
        board[0, 3, 0, 1] = board[0, 5, 6, 1] = 10  # b1, b7
        logits = net.pair_logits(board)[0]
    assert logits.nonzero().ravel().tolist() == [73 * 1 + 5]  # from b1, six squares north
    assert logits.max() == 25  # 10 * 10 / sqrt(16)


@pytest.mark.parametrize(("blocks", "filters"), [(4, 64), (6, 96)])
def test_an_untrained_net_is_nearly_uniform(blocks: int, filters: int) -> None:
    torch.manual_seed(3)
    with torch.no_grad():
        policy, value = ResNetConfig(blocks=blocks, filters=filters).make_net()(some_planes(2))
    assert torch.softmax(policy, 1).max() < 2 / 4672
    assert torch.softmax(value, 1).sub(1 / 3).abs().max() < 0.1


@pytest.mark.parametrize("gradient_checkpointing", [False, True])
def test_the_gradient_reaches_every_weight(gradient_checkpointing: bool) -> None:
    net = seeded_net()
    net.gradient_checkpointing = gradient_checkpointing
    policy, value = net(some_planes(4))
    likelihood = torch.log_softmax(policy, 1)[:, 7] + torch.log_softmax(value, 1)[:, 0]
    names, parameters = zip(*net.named_parameters(), strict=True)
    gradients = torch.autograd.grad(likelihood.sum(), parameters)
    for name, gradient in zip(names, gradients, strict=True):
        assert gradient.abs().max() > 0, name


def test_weights_are_taken_over() -> None:
    net, other = seeded_net(), SeResNet(seeded_net().config)
    other.take(net.arrays())
    assert_close(other(some_planes(2)), net(some_planes(2)), rtol=0, atol=0)


@pytest.mark.parametrize(
    ("blocks", "filters", "attention", "message"),
    [
        (0, 16, 0, "blocks\n"),
        (2, 12, 0, "filters\n.* multiple of 8"),
        (2, 0, 0, "filters\n"),
        (2, 16, 3, "attention_blocks 3 cannot be more than blocks 2"),
        (2, 16, -1, "attention_blocks\n"),
    ],
)
def test_a_net_that_cannot_be_built_is_refused(
    blocks: int, filters: int, attention: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        ResNetConfig(blocks=blocks, filters=filters, attention_blocks=attention)
