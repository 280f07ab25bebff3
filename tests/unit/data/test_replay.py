"""The replay memory: what it keeps, which parts it draws from, and how it goes on when saved."""

import tracemalloc
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.replay import Priority, Replay, Shares
from selfmate.data.ring import LEGAL_PER_ROW
from unit.data.made_up import Game, Inventor, episodes
from unit.data.replayed import MAIN, PRIORITY, every_row, numbers_of

MIXED = Shares(main=0.5, high=0.25, recent=0.25)
GAMMA = 0.9


def test_pages_are_what_was_added() -> None:
    inventor = Inventor()
    replay = Replay(100, shares=MAIN, priority=None)
    added = {name: episodes(inventor.page([(5, "cut"), (3, "mate")])) for name in "cab"}
    for name, page in added.items():
        replay.add(name, page)
    assert list(replay.pages()) == ["c", "a", "b"]
    for name, arrays in replay.pages().items():
        for key, array in added[name].arrays().items():
            np.testing.assert_array_equal(arrays[key], array)
    with pytest.raises(ValueError, match="a page 'a'"):
        replay.add("a", added["a"])


def test_shares_come_from_their_parts() -> None:
    inventor = Inventor()
    pages = [inventor.page([(40, "mate"), (40, "cut")]) for _ in range(4)]
    played = [row for page in pages for game in page for row in game if row.action >= 0]
    good = sorted(row.quality for row in played if row.quality > 0)
    best = {row.number for row in played if row.quality > good[int(0.75 * len(good))]}
    newest = {row.number for game in pages[-1] for row in game if row.action >= 0}
    parts = {"main": {row.number for row in played}, "high": best, "recent": newest}
    for name, part in parts.items():
        shares = Shares(**{**dict.fromkeys(parts, 0.0), name: 1.0})
        drawn = set(drawn_from(pages, shares, None, 5000))
        assert part <= drawn
        assert len(drawn - part) <= 1, "the rule for the quarter leaves one open"
    counts = Counter(number in newest for number in drawn_from(pages, MIXED, PRIORITY, 8000))
    assert 0.25 + 0.5 / 4 < counts[True] / 8000 < 0.5


def drawn_from(
    pages: list[list[Game]], shares: Shares, priority: Priority | None, count: int
) -> list[int]:
    replay = Replay(1000, shares=shares, priority=priority)
    for number, page in enumerate(pages):
        replay.add(str(number), episodes(page))
    rows = replay.draw(np.random.default_rng(3), count).rows
    assert len(rows) == count
    return numbers_of(replay.moves(rows, steps=1, gamma=GAMMA))


@pytest.mark.parametrize("count", range(1, 20))
def test_a_draw_has_the_size_asked_for(count: int) -> None:
    page = [Inventor().page([(9, "mate")])]
    drawn_from(page, Shares(main=0, high=0.5, recent=0.5), None, count)


def test_without_decided_games_the_share_of_the_best_comes_from_all() -> None:
    page = episodes(Inventor().page([(30, "cut")]))
    page.qualities[:] = 0
    replay = Replay(100, shares=Shares(main=0, high=1, recent=0), priority=None)
    replay.add("one", page)
    assert len(every_row(replay)) == 30


@pytest.mark.parametrize("priority", [None, PRIORITY])
def test_a_saved_memory_goes_on_exactly(priority: Priority | None) -> None:
    inventor = Inventor()
    pages = [episodes(inventor.page([(9, "mate"), (7, "cut"), (5, "draw")])) for _ in range(9)]
    first = Replay(70, shares=MIXED, priority=priority)
    live(first, dict(zip("abcde", pages, strict=False)), seed=7)
    second = Replay(70, shares=MIXED, priority=priority)
    second.add("other", pages[0])
    second.load(copied(first.pages()), {key: array.copy() for key, array in first.arrays().items()})
    rest = dict(zip("fghi", pages[5:], strict=True))
    for one, other in zip(live(first, rest, seed=8), live(second, rest, seed=8), strict=True):
        np.testing.assert_array_equal(one, other)
    assert list(first.pages()) == list(second.pages())
    for key, array in first.arrays().items():
        np.testing.assert_array_equal(array, second.arrays()[key])


def live(replay: Replay, pages: dict[str, Any], seed: int) -> list[NDArray[Any]]:
    """Draws and corrects between pages; returns all that was drawn."""
    dice = np.random.default_rng(seed)
    seen = list[NDArray[Any]]()
    for name, page in pages.items():
        replay.add(name, page)
        for _ in range(5):
            drawn = replay.draw(dice, 32)
            moves = replay.moves(drawn.rows, steps=2, gamma=GAMMA)
            seen += [drawn.weights, moves.states, moves.next_states]
            replay.correct(drawn, dice.normal(size=32).astype(np.float32))
    return seen


def copied(pages: dict[str, dict[str, NDArray[Any]]]) -> dict[str, dict[str, NDArray[Any]]]:
    return {
        name: {key: array.copy() for key, array in page.items()} for name, page in pages.items()
    }


def saved() -> tuple[dict[str, dict[str, NDArray[Any]]], dict[str, NDArray[Any]]]:
    replay = Replay(70, shares=MIXED, priority=PRIORITY)
    live(replay, {"one": episodes(Inventor().page([(9, "mate"), (7, "cut")]))}, seed=9)
    return copied(replay.pages()), replay.arrays()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda pages, arrays: arrays.pop("place"), "the arrays are"),
        (lambda pages, arrays: arrays.update(place=np.array(70)), "70 is no place"),
        (lambda pages, arrays: arrays.update(place=np.array([1, 2])), r"place is int64\[2\], not"),
        (lambda pages, arrays: arrays.update(priorities=np.ones(3)), "priorities is"),
        (lambda pages, arrays: arrays.update(priorities=np.ones(17)), "do not belong"),
        (lambda pages, arrays: arrays.update(largest=np.array(0.1)), "do not belong"),
        (lambda pages, arrays: pages["one"].pop("legal"), "page one: the arrays are"),
    ],
)
def test_what_does_not_fit_is_not_loaded(change: Callable[..., Any], sentence: str) -> None:
    pages, arrays = saved()
    change(pages, arrays)
    with pytest.raises(ValueError, match=sentence):
        Replay(70, shares=MIXED, priority=PRIORITY).load(pages, arrays)


def test_more_than_the_memory_holds_is_not_loaded() -> None:
    pages, arrays = saved()
    arrays["priorities"] = np.concatenate([arrays["priorities"]] * 2)
    with pytest.raises(ValueError, match="too many for a memory of 20"):
        Replay(20, shares=MIXED, priority=PRIORITY).load({**pages, "two": pages["one"]}, arrays)


def test_a_million_positions_take_less_than_300_mb_besides_their_pages() -> None:
    page = episodes([Inventor(most_legal=LEGAL_PER_ROW).game(50, "mate")] * 100)
    tracemalloc.start()
    try:
        replay = Replay(len(page), shares=MIXED, priority=PRIORITY)
        replay.add("one", page)
        size_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size_bytes < 300 * len(replay)


def test_nothing_can_be_drawn_from_an_empty_memory() -> None:
    replay = Replay(10, shares=MIXED, priority=PRIORITY)
    assert len(replay) == 0
    with pytest.raises(ValueError, match="empty"):
        replay.draw(np.random.default_rng(1), 4)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Shares(main=0.5, high=0.2, recent=0.2),
        lambda: Shares(main=1.5, high=-0.5, recent=0),
        lambda: Priority(alpha=1.1, beta=0, epsilon=0.1),
        lambda: Priority(alpha=0, beta=-1, epsilon=0.1),
        lambda: Priority(alpha=0, beta=0, epsilon=0),
        lambda: Replay(0, shares=MAIN, priority=None),
    ],
)
def test_settings_that_make_no_sense_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"must|cannot"):
        make()
