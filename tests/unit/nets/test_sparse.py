"""Sparse layers and their gradients against dense ones."""

import numpy as np
import torch

from core.sparse_matrices import sparse_and_dense
from selfmate.nets.sparse import PickedLinear, SparseLinear
from selfmate.rules import Ragged


def test_layers_learn_as_dense_ones_do() -> None:
    """Outputs and gradients are those of torch's own linear layers."""
    torch.manual_seed(1)
    sparse, dense = sparse_and_dense(9, 20, seed=4)
    legal = Ragged(np.array([3, 0, 11] * 9, np.int32), np.arange(0, 28, 3))
    first, last = SparseLinear(20, 8), PickedLinear(8, 12)
    picked = last(torch.tanh(first(sparse)), legal)
    parameters = [*first.parameters(), *last.parameters()]
    ours = torch.autograd.grad((picked * torch.arange(27.0)).sum(), parameters)
    hidden = torch.tanh(torch.from_numpy(dense) @ first.weight + first.bias)
    all_outputs = hidden @ last.weight.T + last.bias
    same = all_outputs[torch.from_numpy(legal.rows), torch.from_numpy(legal.values).long()]
    torch.testing.assert_close(picked, same)
    theirs = torch.autograd.grad((same * torch.arange(27.0)).sum(), parameters)
    torch.testing.assert_close(ours, theirs)
