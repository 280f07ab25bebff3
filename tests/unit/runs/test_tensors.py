"""What is said of arrays that are not those of this net."""

import numpy as np
import pytest

from selfmate.runs.tensors import check_layout


def test_a_few_names_tell_which_net_it_is() -> None:
    arrays = {name: np.zeros(2) for name in "abcdefg"}
    check_layout(arrays, arrays)
    with pytest.raises(ValueError, match=r"missing y, z, not known b, c, d and 3 more$"):
        check_layout(arrays, {name: np.zeros(2) for name in "ayz"})
    with pytest.raises(ValueError, match=r"missing none, not known g$"):
        check_layout(arrays, {name: np.zeros(2) for name in "abcdef"})
    with pytest.raises(ValueError, match=r"a is float64\[2\], not float64\[3\]"):
        check_layout({"a": np.zeros(2)}, {"a": np.zeros(3)})
