"""Text made in bulk against text made by Python, and as JSON."""

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from selfmate.data.ndjson import list_texts, policy_texts

ACTIONS = st.lists(st.integers(0, 4095), min_size=1, max_size=40)
POLICIES = st.dictionaries(
    st.integers(0, 4095), st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=8
)


def offsets_of(rows: list[list[int]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, rows)])


@given(st.lists(ACTIONS, min_size=1, max_size=5))
def test_lists_are_as_python_writes_them(rows: list[list[int]]) -> None:
    texts = list_texts(np.concatenate(rows), offsets_of(rows))
    assert texts == [",".join(map(str, row)) for row in rows]


@given(st.lists(POLICIES, min_size=1, max_size=5))
def test_policies_are_json_with_seven_digits(policies: list[dict[int, float]]) -> None:
    actions = [list(policy) for policy in policies]
    probs = np.array([prob for policy in policies for prob in policy.values()])
    texts = policy_texts(np.concatenate(actions), probs, offsets_of(actions))
    for policy, text in zip(policies, texts, strict=True):
        read = {int(action): prob for action, prob in json.loads(f"{{{text}}}").items()}
        assert list(read) == list(policy)
        assert all(abs(read[action] - prob) < 6e-8 for action, prob in policy.items())
