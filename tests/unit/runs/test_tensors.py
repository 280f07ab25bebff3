"""Arrays that are restored in place, or refused with a sentence."""

import numpy as np
import pytest

from selfmate.runs.run import check_layout, copied, restore, with_prefix


def test_misfitting_arrays_are_named() -> None:
    arrays = {name: np.zeros(2) for name in "abcdefg"}
    check_layout(arrays, arrays)
    with pytest.raises(ValueError, match=r"missing are y, z, unknown are b, c, d and 3 more$"):
        check_layout(arrays, {name: np.zeros(2) for name in "ayz"})
    with pytest.raises(ValueError, match=r"missing are none, unknown are g$"):
        check_layout(arrays, {name: np.zeros(2) for name in "abcdef"})
    with pytest.raises(ValueError, match=r"a is float64\[2\], not float64\[3\]"):
        check_layout({"a": np.zeros(2)}, {"a": np.zeros(3)})


def test_a_snapshot_is_restored() -> None:
    arrays = with_prefix(net={"a": np.arange(3.0), "b": np.array(1)}, rng={"a": np.zeros(2)})
    assert arrays.keys() == {"net.a", "net.b", "rng.a"}
    before = copied(arrays)
    for array in arrays.values():
        array[...] = 7
    restore(arrays, before)
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, before[name])


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        ({}, "missing are"),
        ({"a": np.zeros(3), "c": np.zeros(1)}, "unknown are"),
        ({"a": np.zeros(1), "b": np.zeros(2)}, r"a is float64\[1\], not float64\[3\]"),
        ({"a": np.zeros(3), "b": np.zeros(2, np.float32)}, r"b is float32\[2\], not float64\[2\]"),
    ],
)
def test_misfitting_arrays_change_nothing(saved: dict[str, np.ndarray], message: str) -> None:
    arrays = {"a": np.ones(3), "b": np.ones(2)}
    with pytest.raises(ValueError, match=message):
        restore(arrays, saved)
    assert all((array == 1).all() for array in arrays.values())
