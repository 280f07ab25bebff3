"""Optimizers: steps against torch's own, saving and restoring, gradient clipping."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from torch import Tensor

from selfmate.nets.optim import Optimizer
from selfmate.runs.run import copied, restore

Net = torch.nn.Sequential


def sgd(net: Net, max_grad_norm: float) -> Optimizer:
    return Optimizer.sgd(net, max_grad_norm, momentum=0.9, weight_decay=1e-2)


def muon(net: Net, max_grad_norm: float) -> Optimizer:
    return Optimizer.muon(net, max_grad_norm, 1e-2, [next(net.parameters())])


BOTH = pytest.mark.parametrize("make", [Optimizer.adam, muon, sgd])


def make_net() -> Net:
    torch.manual_seed(4)
    return Net(torch.nn.Linear(5, 7), torch.nn.Tanh(), torch.nn.Linear(7, 2))


def loss_of(net: Net, number: int) -> Tensor:
    inputs = torch.from_numpy(np.random.default_rng(number).normal(size=(9, 5)).astype(np.float32))
    loss: Tensor = (net(inputs) - 0.5).square().mean()
    return loss


def learn(net: Net, adam: Optimizer, numbers: range) -> None:
    for number in numbers:
        adam.gradient(loss_of(net, number))
        adam.step(0.1 / (1 + number))


def bits_of(net: Net, adam: Optimizer) -> dict[str, bytes]:
    weights = {name: tensor.numpy() for name, tensor in net.state_dict().items()}
    return {name: array.tobytes() for name, array in {**weights, **adam.arrays()}.items()}


@pytest.mark.parametrize(
    ("make", "reference_of"),
    [
        (Optimizer.adam, torch.optim.Adam),
        (sgd, lambda of: torch.optim.SGD(of, momentum=0.9, weight_decay=1e-2)),
    ],
)
def test_it_steps_as_torch_does(
    make: Callable[[Net, float], Optimizer],
    reference_of: Callable[[Iterator[torch.nn.Parameter]], torch.optim.Optimizer],
) -> None:
    ours, theirs = make_net(), make_net()
    optimizer, reference = make(ours, 1e9), reference_of(theirs.parameters())
    for number in range(20):
        learn(ours, optimizer, range(number, number + 1))
        for group in reference.param_groups:
            group["lr"] = 0.1 / (1 + number)
        reference.zero_grad()
        loss_of(theirs, number).backward()  # type: ignore[no-untyped-call]
        reference.step()
        for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
            torch.testing.assert_close(one, other, rtol=1e-5, atol=1e-6)


@BOTH
def test_saved_and_restored_it_continues_bit_for_bit(
    make: Callable[[Net, float], Optimizer],
) -> None:
    first, second = make_net(), make_net()
    adam, again = make(first, 0.1), make(second, 0.1)
    learn(first, adam, range(7))
    saved = copied(adam.arrays())
    weights = {name: tensor.clone() for name, tensor in first.state_dict().items()}
    learn(second, again, range(3))  # it had another life before
    second.load_state_dict(weights)
    restore(again.arrays(), saved)
    learn(first, adam, range(7, 15))
    learn(second, again, range(7, 15))
    assert bits_of(first, adam) == bits_of(second, again)


@pytest.mark.parametrize("max_grad_norm", [1e-3, 1e3])
def test_gradients_are_clipped_and_their_norm_is_returned(max_grad_norm: float) -> None:
    net = make_net()
    norm = Optimizer.adam(net, max_grad_norm).gradient(loss_of(net, 1))
    left = float(torch.cat([p.grad.ravel() for p in net.parameters() if p.grad is not None]).norm())
    assert left == pytest.approx(min(norm, max_grad_norm), rel=1e-3)
    assert 1e-3 < norm < 1e3


def test_a_loss_may_come_in_parts() -> None:
    whole, parts = make_net(), make_net()
    norm = Optimizer.adam(whole, 0.01).gradient(loss_of(whole, 1) + loss_of(whole, 2))
    in_parts = Optimizer.adam(parts, 0.01).gradient_of_sum(
        loss_of(parts, number) for number in (1, 2)
    )
    assert in_parts == pytest.approx(norm, rel=1e-5)
    for one, other in zip(whole.parameters(), parts.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-5, atol=1e-8)


def test_a_gradient_alone_changes_nothing() -> None:
    net = make_net()
    adam = Optimizer.adam(net, max_grad_norm=1.0)
    learn(net, adam, range(2))
    before = bits_of(net, adam)
    assert np.isnan(adam.gradient(loss_of(net, 2) * float("nan")))
    assert bits_of(net, adam) == before
    learn(net, adam, range(1))
    assert all(np.isfinite(array).all() for array in adam.arrays().values())
