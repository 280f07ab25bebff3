"""Rows of uneven length against plain lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from selfmate.rules import Ragged, best_places, places_of_rows

LISTS = st.lists(st.lists(st.integers(0, 5), max_size=5), min_size=1, max_size=8)


def ragged(lists: list[list[int]]) -> Ragged:
    offsets = np.cumsum([0, *map(len, lists)])
    return Ragged(np.array([x for row in lists for x in row], np.int32), offsets)


def as_lists(rows: Ragged) -> list[list[int]]:
    return [rows.values[a:b].tolist() for a, b in zip(rows.offsets, rows.offsets[1:], strict=False)]


@given(LISTS, st.data())
def test_rows_are_taken_as_lists_are(lists: list[list[int]], data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=6))
    rows = ragged(lists)
    assert as_lists(rows) == lists
    assert rows.counts.tolist() == [len(row) for row in lists]
    assert rows.rows.tolist() == [i for i, row in enumerate(lists) for _ in row]
    assert as_lists(rows.take(np.array(wanted, np.int64))) == [lists[i] for i in wanted]
    places, offsets = places_of_rows(rows.offsets, np.array(wanted, np.int64))
    assert rows.values[places].tolist() == [x for i in wanted for x in lists[i]]
    assert offsets[-1] == len(places)


@given(st.lists(st.lists(st.integers(-3, 3), min_size=1, max_size=5), min_size=1, max_size=8))
def test_the_first_of_the_highest_is_found(lists: list[list[int]]) -> None:
    rows = ragged(lists)
    places = best_places(rows.values.astype(np.float32), rows.offsets)
    assert (places - rows.offsets[:-1]).tolist() == [row.index(max(row)) for row in lists]


def test_what_is_no_number_stays_in_its_row() -> None:
    values = np.array([1.0, np.nan, 3.0, 4.0, np.nan], np.float32)
    assert best_places(values, np.array([0, 2, 4, 5])).tolist() == [1, 3, 4]


def test_values_are_found_in_their_rows() -> None:
    rows = ragged([[4, 7], [7], [1, 4, 9]])
    assert rows.find(np.array([7, 7, 4])).tolist() == [1, 2, 4]
    with pytest.raises(ValueError, match="every row must hold its wanted value once"):
        rows.find(np.array([7, 8, 4]))
