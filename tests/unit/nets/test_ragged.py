"""Rows of uneven length against torch's own operations, one row after the other."""

from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from selfmate.nets.sparse import log_softmax, spread

OFFSETS = np.array([0, 3, 4, 9, 11])


def by_rows(values: Tensor) -> list[Tensor]:
    return [values[a:b] for a, b in pairwise(OFFSETS)]


def gradient_of(result: Tensor, values: Tensor) -> Tensor:
    weights = torch.arange(1.0, len(result) + 1)
    (found,) = torch.autograd.grad((result * weights).sum(), values)
    return found


def test_log_softmax_is_that_of_each_row() -> None:
    values = (30 * torch.randn(11, generator=torch.manual_seed(1))).requires_grad_()
    ours = log_softmax(values, OFFSETS)
    theirs = torch.cat([torch.log_softmax(row, 0) for row in by_rows(values)])
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(gradient_of(ours, values), gradient_of(theirs, values))


def test_spreading_repeats_the_number_of_each_row() -> None:
    of_rows = torch.tensor([5.0, 6.0, 7.0, 8.0], requires_grad=True)
    assert spread(of_rows, OFFSETS).tolist() == [5, 5, 5, 6, 7, 7, 7, 7, 7, 8, 8]
    assert gradient_of(spread(of_rows, OFFSETS), of_rows).tolist() == [6, 4, 35, 21]
