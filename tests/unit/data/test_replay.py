"""The replay of transitions: what it keeps, what it samples from, and how it is restored."""

import tracemalloc
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.data.priorities import Priority
from selfmate.data.replay import SampleFractions, TransitionReplay
from selfmate.data.transitions import LEGAL_PER_ROW, high_quality_part
from unit.data.made_up import Game, Inventor, episodes
from unit.data.replayed import MAIN, PRIORITY, every_row, keeping, numbers_of

MIXED = SampleFractions(main=0.5, high_quality=0.25, recent=0.25)
GAMMA = 0.9


def test_shards_are_what_was_added() -> None:
    inventor = Inventor()
    replay = TransitionReplay(keeping(100), fractions=MAIN, priority=None)
    added = {name: episodes(inventor.shard([(5, "truncated"), (3, "mate")])) for name in "cab"}
    for name, page in added.items():
        replay.add(name, page)
    assert list(replay.main.arrays()) == ["c", "a", "b"]
    for name, arrays in replay.main.arrays().items():
        for key, array in added[name].arrays().items():
            np.testing.assert_array_equal(arrays[key], array)
    with pytest.raises(ValueError, match="a shard 'a'"):
        replay.add("a", added["a"])


def test_fractions_come_from_their_buffers() -> None:
    inventor = Inventor()
    pages = [rising(inventor.shard([(10, "mate"), (40, "truncated")])) for _ in range(4)]
    played = [row for page in pages for game in page for row in game if row.action >= 0]
    best = {row.number for page in pages for row in page[0][4:]}  # qualities 0.5 to 1
    newest = {row.number for row in pages[-1][1][20:40]}
    buffers = {"main": {row.number for row in played}, "high_quality": best, "recent": newest}
    for name, buffer in buffers.items():
        fractions = SampleFractions(**{**dict.fromkeys(buffers, 0.0), name: 1.0})
        assert set(drawn_from(pages, fractions, None, 5000)) == buffer
    counts = Counter(number in newest for number in drawn_from(pages, MIXED, PRIORITY, 8000))
    assert counts[True] / 8000 == pytest.approx(0.25 + 0.5 * 20 / 200, abs=0.02)


def rising(page: list[Game]) -> list[Game]:
    """Qualities of 0.1, 0.2 to 1 in games that are decided, of 0 in others."""
    return [
        [
            replace(row, quality=(at + 1) / len(game) if game[-1].reward else 0.0)
            for at, row in enumerate(game)
        ]
        for game in page
    ]


def test_each_buffer_keeps_by_its_own_rule() -> None:
    """By hand: main holds two shards, high quality the ends of four, recent four transitions."""
    inventor = Inventor()
    pages = [rising(inventor.shard([(10, "mate"), (6, "draw")])) for _ in range(5)]
    retention = keeping(32, high_quality=8, min_quality=0.9, recent=4)
    replay = TransitionReplay(retention, fractions=MAIN, priority=None)
    for number, page in enumerate(pages):
        replay.add(str(number), episodes(page))
    assert list(replay.main.shards) == ["3", "4"]
    assert list(replay.high_quality.shards) == [f"high-quality-{number}" for number in (1, 2, 3, 4)]
    rows = replay.high_quality.transitions + 32
    found = numbers_of(replay.negamax(rows, n_step=1, gamma=GAMMA))
    assert found == [row.number for page in pages[1:] for row in page[0][-2:]]
    only_recent = SampleFractions(main=0, high_quality=0, recent=1)
    recent = TransitionReplay(retention, fractions=only_recent, priority=None)
    for number, page in enumerate(pages):
        recent.add(str(number), episodes(page))
    assert numbers_of(recent.negamax(every_row(recent), n_step=1, gamma=GAMMA)) == [
        row.number for row in pages[-1][1][-4:]
    ]


def test_high_quality_outlives_the_main_buffer_with_its_next_positions() -> None:
    """Returns of the last rows before a mate whose shard has left the main buffer."""
    inventor = Inventor()
    first = rising(inventor.shard([(10, "mate")]))
    only_best = SampleFractions(main=0, high_quality=1, recent=0)
    replay = TransitionReplay(keeping(10, min_quality=0.7), fractions=only_best, priority=PRIORITY)
    replay.add("mate", episodes(first))
    replay.add("draw", episodes(inventor.shard([(9, "truncated")])))
    assert list(replay.main.shards) == ["draw"]
    drawn = replay.sample(np.random.default_rng(1), 400)
    replay.update_priorities(drawn, np.ones(400, np.float32))  # those of main stay
    batch = replay.negamax(np.unique(drawn.rows), n_step=2, gamma=0.5)
    assert numbers_of(batch) == [row.number for row in first[0][6:]]
    assert batch.returns.tolist() == [0, 0, -0.5, 1]
    assert batch.discounts.tolist() == [0.25, 0.25, 0, 0]


def test_more_high_quality_than_the_buffer_holds_keeps_the_last_games() -> None:
    pages = [rising(Inventor().shard([(10, "mate"), (10, "mate"), (10, "mate")]))]
    best = high_quality_part(episodes(pages[0]), 0.5, 13)  # six rows of each game are good enough
    assert best.packed[:, :4].tolist() == [
        list(row.number.to_bytes(4, "big")) for game in pages[0][1:] for row in game[4:]
    ]
    assert len(high_quality_part(episodes(pages[0]), 0.5, 5)) == 0


def drawn_from(
    pages: list[list[Game]], fractions: SampleFractions, priority: Priority | None, count: int
) -> list[int]:
    replay = TransitionReplay(keeping(1000), fractions=fractions, priority=priority)
    for number, page in enumerate(pages):
        replay.add(str(number), episodes(page))
    rows = replay.sample(np.random.default_rng(3), count).rows
    assert len(rows) == count
    return numbers_of(replay.negamax(rows, n_step=1, gamma=GAMMA))


@pytest.mark.parametrize("count", range(1, 20))
def test_a_sample_has_the_size_asked_for(count: int) -> None:
    page = [Inventor().shard([(9, "mate")])]
    drawn_from(page, SampleFractions(main=0, high_quality=0.5, recent=0.5), None, count)


def test_without_high_quality_its_fraction_comes_from_main() -> None:
    page = episodes(Inventor().shard([(30, "truncated")]))
    page.qualities[:] = 0
    replay = TransitionReplay(
        keeping(100), fractions=SampleFractions(main=0, high_quality=1, recent=0), priority=None
    )
    replay.add("one", page)
    assert len(every_row(replay)) == 30


@pytest.mark.parametrize("priority", [None, PRIORITY])
def test_a_restored_replay_continues_exactly(priority: Priority | None) -> None:
    inventor = Inventor()
    pages = [
        episodes(inventor.shard([(9, "mate"), (7, "truncated"), (5, "draw")])) for _ in range(9)
    ]
    first = TransitionReplay(keeping(70), fractions=MIXED, priority=priority)
    live(first, dict(zip("abcde", pages, strict=False)), seed=7)
    second = TransitionReplay(keeping(70), fractions=MIXED, priority=priority)
    second.add("other", pages[0])
    second.load(
        copied(first.shards()), {key: array.copy() for key, array in first.arrays().items()}
    )
    rest = dict(zip("fghi", pages[5:], strict=True))
    for one, other in zip(live(first, rest, seed=8), live(second, rest, seed=8), strict=True):
        np.testing.assert_array_equal(one, other)
    assert list(first.shards()) == list(second.shards())
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
    replay = TransitionReplay(keeping(70), fractions=MIXED, priority=PRIORITY)
    live(replay, {"one": episodes(Inventor().shard([(9, "mate"), (7, "truncated")]))}, seed=9)
    return copied(replay.shards()), replay.arrays()


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
        TransitionReplay(keeping(70), fractions=MIXED, priority=PRIORITY).load(pages, arrays)


def test_more_than_the_capacity_is_refused() -> None:
    pages, arrays = saved()
    arrays["priorities"] = np.concatenate([arrays["priorities"]] * 2)
    with pytest.raises(ValueError, match="exceed a replay of 20 positions"):
        TransitionReplay(keeping(20), fractions=MIXED, priority=PRIORITY).load(
            {**pages, "two": pages["one"]}, arrays
        )


def test_a_million_positions_take_less_than_300_mb_besides_their_shards() -> None:
    page = episodes([Inventor(max_legal=LEGAL_PER_ROW).game(50, "mate")] * 100)
    tracemalloc.start()
    try:
        replay = TransitionReplay(keeping(len(page)), fractions=MIXED, priority=PRIORITY)
        replay.add("one", page)
        size_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size_bytes < 300 * len(replay)


def test_an_empty_replay_cannot_be_sampled() -> None:
    replay = TransitionReplay(keeping(10), fractions=MIXED, priority=PRIORITY)
    assert len(replay) == 0
    with pytest.raises(ValueError, match="empty"):
        replay.sample(np.random.default_rng(1), 4)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SampleFractions(main=0.5, high_quality=0.2, recent=0.2),
        lambda: SampleFractions(main=1.5, high_quality=-0.5, recent=0),
        lambda: Priority(alpha=1.1, beta=0, epsilon=0.1),
        lambda: Priority(alpha=0, beta=-1, epsilon=0.1),
        lambda: Priority(alpha=0, beta=0, epsilon=0),
        lambda: keeping(0),
        lambda: keeping(1, high_quality=0),
        lambda: keeping(1, min_quality=0),
        lambda: keeping(1, recent=0),
    ],
)
def test_impossible_settings_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"must|cannot"):
        make()
