"""A larger net begins with what a smaller one knows."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from selfmate.nets.config import ResNetConfig
from selfmate.nets.growth import grow, smaller_net
from selfmate.nets.resnet import SeResNet

SMALL = ResNetConfig(
    blocks=2, filters=16, attention_blocks=1, tactical_planes=True, policy_pairs=True
)


def net_of(**changes: Any) -> SeResNet:
    """With weights as after some training: no layer is nearly zero."""
    torch.manual_seed(1)
    net = SMALL.model_copy(update=changes).make_net()
    for parameter in net.parameters():
        parameter.data += torch.randn_like(parameter) * 0.1
    return net


def grown(small: SeResNet, **changes: Any) -> SeResNet:
    large = net_of(**changes)
    grow(large, small.arrays(), small.config, seed=3)
    return large


def some_planes() -> Tensor:
    return torch.rand(4, 96, 8, 8, generator=torch.Generator().manual_seed(2))


def test_a_net_of_twice_the_filters_computes_the_same() -> None:
    small = net_of()
    planes = some_planes()
    for was, now in zip(small(planes), grown(small, filters=32)(planes), strict=True):
        assert_close(now, was, atol=1e-4, rtol=1e-4)


def test_copies_are_not_read_alike() -> None:
    """Copies that are read with the same weights would learn the same for ever."""
    weight = grown(net_of(), filters=32).blocks[0].first.weight  # type: ignore[union-attr]
    first, copy = weight[:, 0], weight[:, 2]  # type: ignore[index]  # the first group has two channels
    assert (first - copy).abs().max() > 0.01


def correlation(first: Tensor, second: Tensor) -> float:
    return float(
        torch.corrcoef(torch.stack([first.detach().flatten(), second.detach().flatten()]))[0, 1]
    )


def test_a_net_of_some_more_filters_computes_nearly_the_same() -> None:
    small = net_of()
    policy, _ = small(some_planes())
    now, _ = grown(small, filters=24)(some_planes())
    unrelated, _ = net_of(filters=24)(some_planes())
    assert correlation(now, policy) > 0.9 > correlation(unrelated, policy)


def test_old_blocks_keep_their_attention() -> None:
    small = net_of()
    large = grown(small, blocks=4)
    assert_close(large.blocks[0].state_dict(), small.blocks[0].state_dict())
    assert_close(large.blocks[3].state_dict(), small.blocks[1].state_dict())


@pytest.mark.parametrize(
    ("changes", "can_grow"),
    [
        ({}, False),
        ({"filters": 24}, True),
        ({"blocks": 3}, True),
        ({"blocks": 3, "filters": 32}, True),
        ({"filters": 40}, False),
        ({"blocks": 1}, False),
        ({"filters": 8}, False),
        ({"filters": 24, "policy_pairs": False}, False),
        ({"blocks": 4, "attention_blocks": 2}, False),
    ],
)
def test_only_smaller_nets_that_are_alike_grow(changes: dict[str, Any], can_grow: bool) -> None:
    wanted = SMALL.model_copy(update=changes)
    assert (smaller_net(net_of().arrays(), wanted) == SMALL) == can_grow
