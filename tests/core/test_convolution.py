"""The core's convolutions against torch's, in numbers of twice the length."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch.testing import assert_close

import selfmate._core as core

Numbers = NDArray[np.float32]


def normal(seed: int, *shape: int) -> Numbers:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def convolved(boards: Numbers, weights: Numbers, outputs: int, threads: int = 1) -> Numbers:
    out = np.full((len(boards), 8, 8, outputs), np.nan, np.float32)
    core.convolve(boards, weights, out, threads)
    return out


@settings(max_examples=30, deadline=None)
@given(
    count=st.integers(0, 20),
    inputs=st.integers(1, 40),
    outputs=st.integers(1, 40),
    threads=st.integers(1, 3),
    seed=st.integers(0, 2**32),
)
def test_a_convolution_and_its_gradients_are_those_of_torch(
    count: int, inputs: int, outputs: int, threads: int, seed: int
) -> None:
    boards, weights = normal(seed, count, 8, 8, inputs), normal(seed + 1, outputs, inputs, 3, 3)
    gradients = normal(seed + 2, count, 8, 8, outputs)
    first = torch.from_numpy(boards).double().permute(0, 3, 1, 2).requires_grad_()
    second = torch.from_numpy(weights).double().requires_grad_()
    made = torch.nn.functional.conv2d(first, second, padding=1)
    wanted = torch.autograd.grad(
        made, [first, second], torch.from_numpy(gradients).double().permute(0, 3, 1, 2)
    )

    found = convolved(boards, core.winograd_weights(weights), outputs, threads)
    back = convolved(gradients, core.winograd_weights(weights, back=True), inputs, threads)
    of_weights = core.convolution_gradient(boards, gradients, threads)
    for ours, theirs in (
        (found, made.permute(0, 2, 3, 1)),
        (back, wanted[0].permute(0, 2, 3, 1)),
        (of_weights, wanted[1]),
    ):  # sums of up to 1,280 products of numbers like 1
        assert_close(torch.from_numpy(ours).double(), theirs, rtol=1e-4, atol=1e-3)


def test_threads_and_other_boards_change_no_bit() -> None:
    boards, gradients = normal(1, 37, 8, 8, 24), normal(2, 37, 8, 8, 40)
    weights = core.winograd_weights(normal(3, 40, 24, 3, 3))
    made = convolved(boards, weights, 40)
    assert convolved(boards, weights, 40, threads=3).tobytes() == made.tobytes()
    for begin, end in ((0, 1), (5, 12), (30, 37)):
        assert convolved(boards[begin:end], weights, 40).tobytes() == made[begin:end].tobytes()
    one = core.convolution_gradient(boards, gradients, 1)
    assert core.convolution_gradient(boards, gradients, 3).tobytes() == one.tobytes()


def test_what_does_not_fit_is_refused() -> None:
    boards, weights = normal(1, 2, 8, 8, 3), core.winograd_weights(normal(2, 5, 3, 3, 3))
    with pytest.raises(ValueError, match="weights must be"):
        convolved(boards, weights, 17)
    with pytest.raises(ValueError, match="boards must be"):
        convolved(normal(1, 2, 8, 7, 3), weights, 5)
    with pytest.raises(ValueError, match="threads must be"):
        convolved(boards, weights, 5, threads=0)
    with pytest.raises(ValueError, match="four dimensions"):
        core.convolution_gradient(boards, boards[0])
