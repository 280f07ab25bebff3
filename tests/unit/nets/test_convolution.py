"""A layer of convolutions is torch's, wherever it is made."""

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from selfmate.nets.resnet import BoardConvolution


def seeded_layer() -> BoardConvolution:
    torch.manual_seed(1)
    return BoardConvolution(12, 16)


def some_boards(dtype: torch.dtype = torch.float32) -> Tensor:
    rng = torch.Generator().manual_seed(2)
    return torch.randn(5, 12, 8, 8, generator=rng).to(dtype).requires_grad_()


def with_gradients(made: Tensor, *of: Tensor) -> list[Tensor]:
    return [made, *torch.autograd.grad(made.square().sum(), of)]


@pytest.mark.parametrize("memory", [torch.contiguous_format, torch.channels_last])
def test_outputs_and_gradients_are_torchs(memory: torch.memory_format) -> None:
    layer, boards = seeded_layer(), some_boards()
    found = with_gradients(layer(boards.contiguous(memory_format=memory)), boards, layer.weight)
    plain = torch.nn.functional.conv2d(boards, layer.weight, padding=1)
    assert_close(found, with_gradients(plain, boards, layer.weight), rtol=1e-4, atol=1e-3)


def test_other_numbers_are_left_to_torch() -> None:
    layer, boards = seeded_layer().double(), some_boards(torch.float64)
    assert_close(layer(boards), torch.nn.functional.conv2d(boards, layer.weight, padding=1))
