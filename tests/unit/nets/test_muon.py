"""Orthogonal steps: singular values against torch's own decomposition, one step by hand."""

import math

import pytest
import torch

from selfmate.nets.optim import Muon, orthogonalised


@pytest.mark.parametrize("shape", [(8, 8), (5, 40), (40, 5)])
def test_singular_values_become_about_one_and_their_vectors_stay(shape: tuple[int, int]) -> None:
    torch.manual_seed(2)
    matrix = torch.randn(shape, dtype=torch.float64)
    found = orthogonalised(matrix)
    values = torch.linalg.svdvals(found)
    assert float(values.min()) > 0.6
    assert float(values.max()) < 1.3
    left, _, right = torch.linalg.svd(matrix, full_matrices=False)
    along = left.T @ found @ right.T
    torch.testing.assert_close(along, torch.diag(along.diagonal()), rtol=0, atol=1e-8)
    assert float(along.diagonal().min()) > 0


def test_a_convolution_is_a_matrix_of_its_outputs() -> None:
    torch.manual_seed(2)
    weight = torch.nn.Parameter(torch.randn(4, 3, 3, 3))
    before, gradient = weight.detach().clone(), torch.randn(4, 3, 3, 3)
    muon = Muon([weight], weight_decay=0.5)
    muon.state[weight] = {"momentum": torch.zeros_like(weight)}
    muon.param_groups[0]["lr"] = 0.1
    weight.grad = gradient.clone()
    muon.step()
    direction = orthogonalised(gradient.reshape(4, 27)).reshape(4, 3, 3, 3)  # of any length
    expected = before * (1 - 0.1 * 0.5) - 0.1 * 0.2 * math.sqrt(27) * direction
    torch.testing.assert_close(weight.detach(), expected, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(muon.state[weight]["momentum"], 0.05 * gradient)


def test_the_root_mean_square_of_a_step_is_that_of_adam() -> None:
    torch.manual_seed(2)
    for shape in ((16, 64), (64, 16), (32, 32)):
        direction = orthogonalised(torch.randn(shape)) * 0.2 * math.sqrt(max(shape))
        assert float(direction.square().mean().sqrt()) == pytest.approx(0.2, rel=0.2)
