"""Items made ahead: the same ones, their errors, and an end to the thread."""

import threading
from collections.abc import Iterator
from itertools import count

import pytest

from selfmate.data.dataset import prefetched


@pytest.mark.parametrize("depth", [1, 3, 100])
def test_the_same_items_come(depth: int) -> None:
    assert list(prefetched(iter(range(50)), depth)) == list(range(50))
    assert not list(prefetched(iter(()), depth))


def test_they_are_made_ahead() -> None:
    made = threading.Event()

    def items() -> Iterator[int]:
        yield 1
        made.set()
        yield 2

    ahead = prefetched(items(), 2)
    assert next(ahead) == 1
    assert made.wait(60)
    assert next(ahead) == 2


def test_an_error_comes_where_it_happened() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("the file is damaged")

    ahead = prefetched(items(), 4)
    assert next(ahead) == 1
    with pytest.raises(ValueError, match="the file is damaged"):
        next(ahead)


@pytest.mark.parametrize("taken", [0, 1, 7])
def test_who_takes_no_more_ends_the_thread(taken: int) -> None:
    before = threading.active_count()
    ahead = prefetched(count(), 2)
    assert [next(ahead) for _ in range(taken)] == list(range(taken))
    ahead.close()
    assert threading.active_count() == before
