"""Attention of all tokens to all, made by the core: quicker than torch's on processors, and bit for
bit the same in any batch."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from selfmate import _core
from selfmate.nets.numbers import numbers_of

HEAD_GRAIN = 8  # the core's heads are as wide as a multiple of this


def attended(looks: Tensor, geometry: Tensor | None, heads: int) -> Tensor:
    """What tokens see [B, T, W], of their queries, keys and values [B, T, 3 W]. The geometry, which
    is [heads, T, T], is added to the likeness of query and key."""
    head_width = looks.shape[2] // 3 // heads
    if looks.is_cpu and looks.dtype == torch.float32 and head_width % HEAD_GRAIN == 0:
        seen: Tensor = _Attend.apply(looks, geometry, heads)  # type: ignore[no-untyped-call]
        return seen
    return attended_by_torch(looks, geometry, heads)


def attended_by_torch(looks: Tensor, geometry: Tensor | None, heads: int) -> Tensor:
    count, length, triple = looks.shape
    parts = looks.view(count, length, 3, heads, triple // 3 // heads)
    query, key, value = parts.permute(2, 0, 3, 1, 4)
    likeness = (query * query.shape[3] ** -0.5) @ key.transpose(2, 3)
    if geometry is not None:
        likeness = likeness + geometry
    seen: Tensor = torch.softmax(likeness, 3) @ value
    return seen.transpose(1, 2).flatten(2)


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, looks: Tensor, geometry: Tensor | None, heads: int) -> Tensor:
        ctx.save_for_backward(looks, geometry)
        ctx.heads = heads
        seen = torch.empty(*looks.shape[:2], looks.shape[2] // 3)
        _core.attend(numbers_of(looks), _numbers_or_none(geometry), heads, seen.numpy())
        return seen

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, Tensor | None, None]:
        looks, geometry = ctx.saved_tensors
        of_looks = torch.empty(looks.shape)
        of_geometry = None if geometry is None else torch.empty(geometry.shape)
        _core.attend_back(
            numbers_of(looks),
            _numbers_or_none(geometry),
            ctx.heads,
            numbers_of(gradients[0]),
            of_looks.numpy(),
            _numbers_or_none(of_geometry),
        )
        return of_looks, of_geometry, None


def _numbers_or_none(tensor: Tensor | None) -> NDArray[np.float32] | None:
    return None if tensor is None else numbers_of(tensor)
