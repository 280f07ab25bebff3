"""Arrays that are restored in place, or refused as a whole."""

import numpy as np
import pytest

from selfmate.runs.live import copied, prefixed, restore


def test_a_copy_restores_what_was() -> None:
    arrays = prefixed(net={"a": np.arange(3.0), "b": np.array(1)}, dice={"a": np.zeros(2)})
    assert arrays.keys() == {"net.a", "net.b", "dice.a"}
    before = copied(arrays)
    for array in arrays.values():
        array[...] = 7
    restore(arrays, before)
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, before[name])


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        ({}, "not"),
        ({"a": np.zeros(3), "c": np.zeros(1)}, "not"),
        ({"a": np.zeros(1), "b": np.zeros(2)}, r"a is float64\[1\], not float64\[3\]"),
        ({"a": np.zeros(3), "b": np.zeros(2, np.float32)}, r"b is float32\[2\], not float64\[2\]"),
    ],
)
def test_what_does_not_fit_changes_nothing(saved: dict[str, np.ndarray], message: str) -> None:
    arrays = {"a": np.ones(3), "b": np.ones(2)}
    with pytest.raises(ValueError, match=message):
        restore(arrays, saved)
    assert all((array == 1).all() for array in arrays.values())
