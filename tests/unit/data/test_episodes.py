"""Shards of episodes: what is refused, and the qualities of rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from selfmate.data.transitions import UNRANKED, Episodes, qualities
from unit.data.made_up import ENDINGS, Inventor, episodes

Arrays = dict[str, NDArray[Any]]
GAMES = st.lists(st.tuples(st.integers(1, 6), st.booleans()), max_size=8)


def some_arrays() -> Arrays:
    page = Inventor().shard([(3, "mate"), (2, "truncated"), (4, "draw")])
    return {name: array.copy() for name, array in episodes(page).arrays().items()}


@pytest.mark.parametrize("ending", ENDINGS)
def test_arrays_make_the_same_shard_again(ending: Any) -> None:
    page = episodes(Inventor().shard([(4, "mate"), (3, ending)]))
    again = Episodes.from_arrays(page.arrays())
    for name, array in page.arrays().items():
        np.testing.assert_array_equal(getattr(again, name), array)
    assert len(again) == len(page) == 7 + (ending == "truncated")
    assert np.count_nonzero(again.played) == 7


def test_a_shard_may_be_empty() -> None:
    assert len(Episodes.from_arrays(episodes([]).arrays())) == 0


@pytest.mark.parametrize("name", list(some_arrays()))
def test_names_types_and_shapes_are_checked(name: str) -> None:
    good = some_arrays()
    for bad in (
        {**good, "more": good[name]},
        {**good, name: good[name].astype(np.float64)},
        {**good, name: good[name][:-1]},
        {**good, name: good[name][None]},
    ):
        with pytest.raises(ValueError, match=r"not|legal_offsets"):
            Episodes.from_arrays(bad)


@pytest.mark.parametrize("name", list(some_arrays()))
def test_only_the_ranks_may_be_missing(name: str) -> None:
    """Version 0.1 did not record them."""
    arrays = some_arrays()
    del arrays[name]
    if name == "ranks":
        assert set(Episodes.from_arrays(arrays).ranks.tolist()) == {UNRANKED}
    else:
        with pytest.raises(ValueError, match="not"):
            Episodes.from_arrays(arrays)


@pytest.mark.parametrize(
    ("name", "row", "value", "sentence"),
    [
        ("actions", 1, 4096, "actions must hold whole numbers from -1 to 4095"),
        ("actions", 1, -2, "actions must hold whole numbers from -1 to 4095"),
        ("advice", 0, 4096, "advice must hold whole numbers from -1 to 4095"),
        ("legal", 0, -1, "legal must hold whole numbers from 0 to 4095"),
        ("legal_offsets", 0, 1, "legal_offsets must go from 0"),
        ("legal_offsets", -1, 10**6, "legal_offsets must go from 0"),
        ("legal_offsets", 1, 0, "legal_offsets must ascend: every position has a legal action"),
        ("legal_offsets", 1, 10**6, "legal_offsets must ascend"),
        ("ends", 5, True, "ends is set for a row without an action"),
        ("ends", -1, False, "the last game neither ends nor is truncated"),
    ],
)
def test_impossible_games_are_refused(name: str, row: int, value: int, sentence: str) -> None:
    arrays = some_arrays()
    arrays[name][row] = value
    with pytest.raises(ValueError, match=sentence):
        Episodes.from_arrays(arrays)


@given(GAMES, st.floats(0, 1))
def test_qualities_are_those_of_a_loop(games: list[tuple[int, bool]], gamma: float) -> None:
    lengths = np.array([length for length, _ in games], np.int64)
    decisive = np.array([won for _, won in games], np.bool_)
    expected = [
        gamma**left if won else 0.0 for length, won in games for left in reversed(range(length))
    ]
    actual = qualities(lengths, decisive, gamma)
    assert actual.dtype == np.float32
    assert actual.tolist() == pytest.approx(expected, rel=1e-6)
