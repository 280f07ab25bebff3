"""The kernels of all processors that can be run here compute the same."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import selfmate._core as core
from core.slow_se_resnet import Shape, random_weights

NAMES = core.kernel_names()
FAST = [name for name in NAMES if name != "portable"]
# Everything that training computes, for widths that fill no vector, and some that do.
TRAINING = """
import sys
import numpy as np
import selfmate._core as core

rng = np.random.default_rng(1)
found = []
for inputs, outputs, head_width in ((68, 64, 16), (24, 24, 8), (13, 7, 24)):
    boards = rng.standard_normal((9, 8, 8, inputs), np.float32)
    weights = rng.standard_normal((outputs, inputs, 3, 3), np.float32)
    out = np.empty((9, 8, 8, outputs), np.float32)
    core.convolve(boards, core.winograd_weights(weights), out)
    back = np.empty_like(boards)
    core.convolve(out, core.winograd_weights(weights, back=True), back)
    found += [out, back, core.convolution_gradient(boards, out)]
    qkv = rng.standard_normal((2, 19, 6 * head_width), np.float32)
    seen, gradient = np.empty((2, 19, 2 * head_width), np.float32), np.empty_like(qkv)
    core.attend(qkv, None, 2, seen)
    core.attend_back(qkv, None, 2, seen, gradient, None)
    found += [seen, gradient]
np.savez(sys.argv[1], *found)
"""


def trained_with(kernels: str, folder: Path) -> list[NDArray[np.float32]]:
    """What a process of its own computes that knows no faster kernels than these."""
    path = folder / f"{kernels}.npz"
    environment = {**os.environ, "SELFMATE_KERNELS": kernels}
    subprocess.run([sys.executable, "-c", TRAINING, str(path)], env=environment, check=True)
    with np.load(path) as arrays:
        return [arrays[name] for name in arrays.files]


def test_the_fast_kernels_train_bit_for_bit_alike_and_the_portable_ones_closely(
    tmp_path: Path,
) -> None:
    portable, *fast = (trained_with(name, tmp_path) for name in reversed(NAMES))
    for others in fast:
        for array, other, slow in zip(fast[0], others, portable, strict=True):
            assert array.tobytes() == other.tobytes()
            np.testing.assert_allclose(other, slow, rtol=1e-3, atol=1e-4 * np.abs(slow).max())


@pytest.mark.parametrize("filters", [16, 24, 64, 96])
def test_the_fast_kernels_evaluate_bit_for_bit_alike(filters: int) -> None:
    shape = Shape(filters=filters)
    weights = random_weights(shape, 1)
    planes = np.random.default_rng(2).random((9, 96, 8, 8), np.float32)
    answers = [shape.core(weights, kernels=name).evaluate(planes) for name in FAST]
    for values, logits in answers:
        assert values.tobytes() == answers[0][0].tobytes()
        assert logits.tobytes() == answers[0][1].tobytes()


def test_every_processor_has_the_portable_kernels() -> None:
    assert NAMES[-1] == "portable"


def test_kernels_that_are_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match=r"there are no kernels neon .* there are .*portable"):
        Shape().core(random_weights(Shape(), 1), kernels="neon")
