"""The replay of transitions: what it keeps, what it samples from, and how it is restored."""

import tracemalloc
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.replay import Priority, SampleFractions, TransitionReplay
from selfmate.data.transitions import LEGAL_PER_ROW
from unit.data.made_up import Game, Inventor, episodes
from unit.data.replayed import MAIN, PRIORITY, every_row, numbers_of

MIXED = SampleFractions(main=0.5, decisive=0.25, recent=0.25)
GAMMA = 0.9


def test_shards_are_what_was_added() -> None:
    inventor = Inventor()
    replay = TransitionReplay(100, fractions=MAIN, priority=None)
    added = {name: episodes(inventor.shard([(5, "truncated"), (3, "mate")])) for name in "cab"}
    for name, page in added.items():
        replay.add(name, page)
    assert list(replay.buffer.arrays()) == ["c", "a", "b"]
    for name, arrays in replay.buffer.arrays().items():
        for key, array in added[name].arrays().items():
            np.testing.assert_array_equal(arrays[key], array)
    with pytest.raises(ValueError, match="a shard 'a'"):
        replay.add("a", added["a"])


def test_fractions_come_from_their_parts() -> None:
    inventor = Inventor()
    pages = [inventor.shard([(40, "mate"), (40, "truncated")]) for _ in range(4)]
    played = [row for page in pages for game in page for row in game if row.action >= 0]
    good = sorted(row.quality for row in played if row.quality > 0)
    best = {row.number for row in played if row.quality > good[int(0.75 * len(good))]}
    newest = {row.number for game in pages[-1] for row in game if row.action >= 0}
    parts = {"main": {row.number for row in played}, "decisive": best, "recent": newest}
    for name, part in parts.items():
        fractions = SampleFractions(**{**dict.fromkeys(parts, 0.0), name: 1.0})
        drawn = set(drawn_from(pages, fractions, None, 5000))
        assert part <= drawn
        assert len(drawn - part) <= 1, "the rule for the quarter leaves one open"
    counts = Counter(number in newest for number in drawn_from(pages, MIXED, PRIORITY, 8000))
    assert 0.25 + 0.5 / 4 < counts[True] / 8000 < 0.5


def drawn_from(
    pages: list[list[Game]], fractions: SampleFractions, priority: Priority | None, count: int
) -> list[int]:
    replay = TransitionReplay(1000, fractions=fractions, priority=priority)
    for number, page in enumerate(pages):
        replay.add(str(number), episodes(page))
    rows = replay.sample(np.random.default_rng(3), count).rows
    assert len(rows) == count
    return numbers_of(replay.negamax(rows, n_step=1, gamma=GAMMA))


@pytest.mark.parametrize("count", range(1, 20))
def test_a_sample_has_the_size_asked_for(count: int) -> None:
    page = [Inventor().shard([(9, "mate")])]
    drawn_from(page, SampleFractions(main=0, decisive=0.5, recent=0.5), None, count)


def test_without_decisive_games_their_fraction_comes_from_all() -> None:
    page = episodes(Inventor().shard([(30, "truncated")]))
    page.qualities[:] = 0
    replay = TransitionReplay(
        100, fractions=SampleFractions(main=0, decisive=1, recent=0), priority=None
    )
    replay.add("one", page)
    assert len(every_row(replay)) == 30


@pytest.mark.parametrize("priority", [None, PRIORITY])
def test_a_restored_replay_continues_exactly(priority: Priority | None) -> None:
    inventor = Inventor()
    pages = [
        episodes(inventor.shard([(9, "mate"), (7, "truncated"), (5, "draw")])) for _ in range(9)
    ]
    first = TransitionReplay(70, fractions=MIXED, priority=priority)
    live(first, dict(zip("abcde", pages, strict=False)), seed=7)
    second = TransitionReplay(70, fractions=MIXED, priority=priority)
    second.add("other", pages[0])
    second.load(
        copied(first.buffer.arrays()), {key: array.copy() for key, array in first.arrays().items()}
    )
    rest = dict(zip("fghi", pages[5:], strict=True))
    for one, other in zip(live(first, rest, seed=8), live(second, rest, seed=8), strict=True):
        np.testing.assert_array_equal(one, other)
    assert list(first.buffer.arrays()) == list(second.buffer.arrays())
    for key, array in first.arrays().items():
        np.testing.assert_array_equal(array, second.arrays()[key])


def live(replay: TransitionReplay, pages: dict[str, Any], seed: int) -> list[NDArray[Any]]:
    """Samples and updates priorities between shards; returns all that was sampled."""
    rng = np.random.default_rng(seed)
    seen = list[NDArray[Any]]()
    for name, page in pages.items():
        replay.add(name, page)
        for _ in range(5):
            drawn = replay.sample(rng, 32)
            moves = replay.negamax(drawn.rows, n_step=2, gamma=GAMMA)
            seen += [drawn.weights, moves.states, moves.next_states]
            replay.update_priorities(drawn, rng.normal(size=32).astype(np.float32))
    return seen


def copied(pages: dict[str, dict[str, NDArray[Any]]]) -> dict[str, dict[str, NDArray[Any]]]:
    return {
        name: {key: array.copy() for key, array in page.items()} for name, page in pages.items()
    }


def saved() -> tuple[dict[str, dict[str, NDArray[Any]]], dict[str, NDArray[Any]]]:
    replay = TransitionReplay(70, fractions=MIXED, priority=PRIORITY)
    live(replay, {"one": episodes(Inventor().shard([(9, "mate"), (7, "truncated")]))}, seed=9)
    return copied(replay.buffer.arrays()), replay.arrays()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda pages, arrays: arrays.pop("place"), "the arrays differ"),
        (lambda pages, arrays: arrays.update(place=np.array(70)), "70 is no place"),
        (lambda pages, arrays: arrays.update(place=np.array([1, 2])), r"place is int64\[2\], not"),
        (lambda pages, arrays: arrays.update(priorities=np.ones(3)), "priorities is"),
        (lambda pages, arrays: arrays.update(priorities=np.ones(17)), "do not belong"),
        (lambda pages, arrays: arrays.update(largest=np.array(0.1)), "do not belong"),
        (lambda pages, arrays: pages["one"].pop("legal"), "shard one: the arrays are"),
    ],
)
def test_what_does_not_fit_is_refused(change: Callable[..., Any], sentence: str) -> None:
    pages, arrays = saved()
    change(pages, arrays)
    with pytest.raises(ValueError, match=sentence):
        TransitionReplay(70, fractions=MIXED, priority=PRIORITY).load(pages, arrays)


def test_more_than_the_capacity_is_refused() -> None:
    pages, arrays = saved()
    arrays["priorities"] = np.concatenate([arrays["priorities"]] * 2)
    with pytest.raises(ValueError, match="exceed a replay of 20"):
        TransitionReplay(20, fractions=MIXED, priority=PRIORITY).load(
            {**pages, "two": pages["one"]}, arrays
        )


def test_a_million_positions_take_less_than_300_mb_besides_their_shards() -> None:
    page = episodes([Inventor(max_legal=LEGAL_PER_ROW).game(50, "mate")] * 100)
    tracemalloc.start()
    try:
        replay = TransitionReplay(len(page), fractions=MIXED, priority=PRIORITY)
        replay.add("one", page)
        size_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size_bytes < 300 * len(replay)


def test_an_empty_replay_cannot_be_sampled() -> None:
    replay = TransitionReplay(10, fractions=MIXED, priority=PRIORITY)
    assert len(replay) == 0
    with pytest.raises(ValueError, match="empty"):
        replay.sample(np.random.default_rng(1), 4)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SampleFractions(main=0.5, decisive=0.2, recent=0.2),
        lambda: SampleFractions(main=1.5, decisive=-0.5, recent=0),
        lambda: Priority(alpha=1.1, beta=0, epsilon=0.1),
        lambda: Priority(alpha=0, beta=-1, epsilon=0.1),
        lambda: Priority(alpha=0, beta=0, epsilon=0),
        lambda: TransitionReplay(0, fractions=MAIN, priority=None),
    ],
)
def test_impossible_settings_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"must|cannot"):
        make()
