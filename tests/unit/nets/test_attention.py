"""The core's attention against torch's: outputs, both gradients, batches, odd widths."""

import pytest
import torch
from torch import Tensor

import selfmate._core as core
from selfmate.nets.transformer import attention, attention_by_torch

SHAPES = [(5, 78, 64, 4), (2, 78, 24, 1), (3, 7, 16, 2), (1, 16, 32, 4)]  # B, T, W, heads


def given(count: int, tokens: int, width: int, heads: int) -> tuple[Tensor, Tensor]:
    torch.manual_seed(8)
    qkv = torch.randn(count, tokens, 3 * width, requires_grad=True)
    bias = torch.randn(heads, tokens, tokens, requires_grad=True)
    return qkv, bias


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("has_bias", [True, False])
def test_it_is_that_of_torch(shape: tuple[int, int, int, int], has_bias: bool) -> None:
    qkv, bias = given(*shape)
    used = bias if has_bias else None
    ours, theirs = (by(qkv, used, shape[3]) for by in (attention, attention_by_torch))
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    wanted = [qkv, bias] if has_bias else [qkv]
    weights = torch.randn(ours.shape)
    mine, others = (torch.autograd.grad((seen * weights).sum(), wanted) for seen in (ours, theirs))
    for one, other in zip(mine, others, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-5)


def test_a_position_is_the_same_in_any_batch() -> None:
    qkv, bias = given(9, 78, 64, 4)
    together = attention(qkv, bias, 4)
    for row in (0, 4, 8):
        assert torch.equal(attention(qkv[row : row + 1], bias, 4)[0], together[row])


def test_vast_scores_are_no_trouble() -> None:
    qkv, bias = given(1, 78, 16, 1)
    seen = attention(qkv * 1e4, bias, 1)
    assert torch.isfinite(seen).all()
    torch.testing.assert_close(seen, attention_by_torch(qkv * 1e4, bias, 1), rtol=1e-3, atol=1)


def test_heads_that_the_core_does_not_have_are_left_to_torch() -> None:
    qkv, bias = given(2, 5, 12, 2)
    assert torch.equal(attention(qkv, bias, 2), attention_by_torch(qkv, bias, 2))
    with pytest.raises(ValueError, match="2 heads cannot share a width of 12"):
        core.attend(qkv.detach().numpy(), None, 2, torch.empty(2, 5, 12).numpy())
