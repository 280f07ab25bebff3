"""The core's SE-ResNet against a slow one, in any company, and what it refuses."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import selfmate._core as core
from core.slow_se_resnet import Shape, Weights, random_weights, slow_values_and_logits

VERSIONS = pytest.mark.parametrize("kernels", core.kernel_names())


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    blocks = draw(st.integers(1, 3))
    return Shape(
        blocks=blocks,
        filters=8 * draw(st.integers(1, 8)),
        attention=draw(st.integers(0, blocks)),
        squeeze=draw(st.booleans()),
        wdl=draw(st.booleans()),
        planes=draw(st.sampled_from([60, 68, 96])),
        pairs=draw(st.booleans()),
    )


def some_planes(rows: int, seed: int = 4) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    return (rng.random((rows, 96, 8, 8)) < 0.2) * rng.random((rows, 96, 1, 1), np.float32)


@VERSIONS
@settings(max_examples=15, deadline=None)
@given(shape=shapes(), rows=st.integers(1, 9), seed=st.integers(0, 10**6))
def test_answers_are_those_of_the_slow_net(
    kernels: str, shape: Shape, rows: int, seed: int
) -> None:
    weights, planes = random_weights(shape, seed), some_planes(rows, seed)
    found = shape.core(weights, kernels=kernels).evaluate(planes)
    for answer, slow in zip(found, slow_values_and_logits(shape, weights, planes), strict=True):
        np.testing.assert_allclose(answer, slow, atol=5e-5)


@VERSIONS
@pytest.mark.parametrize("scale", [0.01, 30.0])
def test_large_and_small_weights_do_not_matter(kernels: str, scale: float) -> None:
    weights, planes = random_weights(Shape(), 3, scale), some_planes(3)
    found = Shape().core(weights, kernels=kernels).evaluate(planes)
    for answer, slow in zip(found, slow_values_and_logits(Shape(), weights, planes), strict=True):
        np.testing.assert_allclose(answer, slow, atol=5e-5 * max(1, np.abs(slow).max()))


def net_that_shows_gelu(points: NDArray[np.float32]) -> tuple[Shape, Weights]:
    """The logits of each square are the GELU of the points."""
    shape = Shape(blocks=1, filters=len(points), attention=0, squeeze=False)
    weights = {name: np.zeros_like(array) for name, array in random_weights(shape, 0).items()}
    weights["blocks.0.second_norm.bias"] = points
    weights["policy.weight"][:, :, 0, 0] = np.eye(73, len(points))
    return shape, weights


@VERSIONS
def test_gelu_is_exact_to_a_millionth(kernels: str) -> None:
    usual = np.linspace(-7, 7, 64 * 16, dtype=np.float32).reshape(16, 64)
    large = np.linspace(-1000, 1000, 64, dtype=np.float32)[None]
    for points in np.concatenate([usual, large]):
        shape, weights = net_that_shows_gelu(points)
        _, logits = shape.core(weights, kernels=kernels).evaluate(some_planes(1))
        shown = logits.reshape(64, 73)[:, :64]
        wanted = [x / 2 * (1 + math.erf(x / math.sqrt(2))) for x in points.tolist()]
        np.testing.assert_allclose(shown, np.tile(wanted, (64, 1)), rtol=1e-6, atol=1e-6)


@VERSIONS
def test_a_row_has_the_same_answer_in_any_batch(kernels: str) -> None:
    shape = Shape(filters=24)
    net = shape.core(random_weights(shape, 1), kernels=kernels)
    planes = some_planes(20)
    alone = [net.evaluate(planes[row : row + 1]) for row in range(20)]
    rng = np.random.default_rng(5)
    for count in range(1, 21):
        chosen = rng.integers(0, 20, count)
        for part, answer in enumerate(net.evaluate(planes[chosen], threads=1 + count % 3)):
            wanted = np.concatenate([alone[row][part] for row in chosen])
            assert answer.tobytes() == wanted.tobytes()


def test_nothing_asked_is_nothing_answered() -> None:
    values, logits = Shape().core(random_weights(Shape(), 1)).evaluate(some_planes(0))
    assert values.shape == (0, 3)
    assert logits.shape == (0, 4672)


def test_other_weights_are_taken_over() -> None:
    first, second = random_weights(Shape(), 1), random_weights(Shape(), 2)
    net, planes = Shape().core(first), some_planes(3)
    net.load(second)
    for answer, wanted in zip(
        net.evaluate(planes), Shape().core(second).evaluate(planes), strict=True
    ):
        assert answer.tobytes() == wanted.tobytes()


def test_weights_are_copied() -> None:
    weights, planes = random_weights(Shape(), 1), some_planes(2)
    net = Shape().core(weights)
    before = net.evaluate(planes)[1]
    for array in weights.values():
        array[...] = 0
    assert net.evaluate(planes)[1].tobytes() == before.tobytes()


def changed(name: str, array: object) -> Weights:
    weights: Weights = random_weights(Shape(), 1)
    return {**weights, name: array}  # type: ignore[dict-item]


NAN = np.full((16, 16, 3, 3), np.nan, np.float32)


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        ({}, "the weights lack stem.weight"),
        (
            changed("policy.bias", np.zeros(72, np.float32)),
            r"policy.bias must have the shape \(73,\), not \(72,\)",
        ),
        (changed("blocks.1.first.weight", NAN), r"blocks.1.first.weight has .* not finite"),
        (changed("policy.bias", np.zeros(73)), "policy.bias must be a C-contiguous float32"),
        (changed("policy.bias", [0.0] * 73), "the weight policy.bias must be an array"),
        (changed("bonus", np.zeros(1, np.float32)), r"the net has \d+ weights, but \d+ were given"),
        ({1: np.zeros(1, np.float32)}, "names of weights must be texts"),
    ],
)
def test_wrong_weights_are_refused_and_change_nothing(weights: Weights, reason: str) -> None:
    net, planes = Shape().core(random_weights(Shape(), 1)), some_planes(2)
    before = net.evaluate(planes)[1]
    with pytest.raises(ValueError, match=reason):
        Shape().core(weights)
    with pytest.raises(ValueError, match=reason):
        net.load(weights)
    assert net.evaluate(planes)[1].tobytes() == before.tobytes()


@pytest.mark.parametrize(
    ("blocks", "filters", "attention"), [(0, 16, 0), (2, 12, 0), (2, 0, 0), (2, 16, 3), (2, 16, -1)]
)
def test_a_shape_that_cannot_be_is_refused(blocks: int, filters: int, attention: int) -> None:
    with pytest.raises(ValueError, match="net of"):
        Shape(blocks=blocks, filters=filters, attention=attention).core({})


@pytest.mark.parametrize(
    ("planes", "reason"),
    [
        (np.zeros((2, 96, 64), np.float32), "planes must be an array of four dimensions"),
        (
            np.zeros((2, 60, 8, 8), np.float32),
            r"planes must be .* float32 array of shape \(2,96,8,8,\)",
        ),
        (np.zeros((2, 96, 8, 8)), "planes must be a C-contiguous float32 array"),
        (
            np.zeros((2, 8, 8, 96), np.float32).transpose(0, 3, 1, 2),
            "planes must be a C-contiguous",
        ),
        (None, "planes must be an array"),
    ],
)
def test_wrong_planes_are_refused(planes: NDArray[np.float32], reason: str) -> None:
    net = Shape().core(random_weights(Shape(), 1))
    with pytest.raises(ValueError, match=reason):
        net.evaluate(planes)
    with pytest.raises(ValueError, match="threads must be at least 1"):
        net.evaluate(some_planes(1), threads=0)
