"""Gradients by several threads: those of torch, and the same bits on any number of threads."""

from functools import partial

import pytest
import torch

from selfmate.nets.optim import GradientWorkers, Optimizer
from unit.nets.test_optim import loss_of, make_net

NUMBERS = range(7)


def gradient(threads: int) -> list[torch.Tensor]:
    net = make_net()
    losses = [partial(loss_of, net, number) for number in NUMBERS]
    Optimizer.adam(net, 1e9).gradient_in_parallel(GradientWorkers(threads), losses)
    return [parameter.grad for parameter in net.parameters() if parameter.grad is not None]


def test_it_is_that_of_the_sum() -> None:
    net = make_net()
    Optimizer.adam(net, 1e9).gradient_of_sum(loss_of(net, number) for number in NUMBERS)
    for parameter, found in zip(net.parameters(), gradient(2), strict=True):
        torch.testing.assert_close(parameter.grad, found, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("threads", [2, 3, 16])
def test_threads_change_no_bit(threads: int) -> None:
    for one, other in zip(gradient(1), gradient(threads), strict=True):
        assert torch.equal(one, other)


def test_an_error_of_a_loss_is_raised() -> None:
    net = make_net()

    def fails() -> torch.Tensor:
        raise ValueError("no such position")

    with pytest.raises(ValueError, match="no such position"):
        Optimizer.adam(net, 1.0).gradient_in_parallel(
            GradientWorkers(2), [partial(loss_of, net, 1), fails]
        )
