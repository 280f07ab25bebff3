"""Weights that are no SE-ResNet's are refused in a sentence; tests/unit/nets has the answers."""

import numpy as np
import pytest

from selfmate import _core
from selfmate.nets.se_resnet import SeResNet, SeResNetShape

pytestmark = pytest.mark.skipif(not _core.processor_is_wide(), reason="left to torch here")


def weights() -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    return SeResNet(SeResNetShape(blocks=2, filters=16)).arrays()


@pytest.mark.parametrize("name", sorted(weights()))
def test_a_weight_of_another_shape_or_type_is_named(name: str) -> None:
    whole = weights()
    with pytest.raises(ValueError, match=f"the weights {name} have a wrong shape"):
        _core.SeResNet({**whole, name: whole[name][:-1]})
    with pytest.raises(ValueError, match=f"the weights {name} must be a C-contiguous float32"):
        _core.SeResNet({**whole, name: whole[name].astype(np.float64)})


def test_a_weight_that_is_missing_is_named() -> None:
    some = weights()
    del some["policy.bias"]
    with pytest.raises(ValueError, match=r"the weights lack policy\.bias"):
        _core.SeResNet(some)
