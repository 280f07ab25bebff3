"""The replay of searched positions: what leaves, what is sampled, what a row becomes."""

import numpy as np
import pytest

from selfmate.data.examples import TreeGames
from selfmate.data.replay import TreeReplay
from selfmate.encodings import encode
from unit.data.example_rows import boards, tree_games


def replay_of(*counts: int, capacity: int = 1000, recent_fraction: float = 0.8) -> TreeReplay:
    replay = TreeReplay(capacity, recent_fraction)
    for number, count in enumerate(counts):
        replay.add(f"games-{number}", tree_games(count, seed=number + 1))
    return replay


def test_the_oldest_shards_leave() -> None:
    replay = replay_of(10, 20, 30, capacity=55)
    assert list(replay.buffer.shards) == ["games-1", "games-2"]
    assert len(replay) == 50
    assert len(replay_of(10, 200, capacity=55)) == 200


def test_a_row_becomes_what_it_was() -> None:
    replay = replay_of(6, 5)
    found = replay.examples(np.array([1, 5, 6, 10]))
    pages = list(replay.buffer.shards.values())
    wanted = [(pages[0], 1), (pages[0], 5), (pages[1], 0), (pages[1], 4)]
    seen = encode("planes96", boards(6, 1))[[1, 5]], encode("planes96", boards(5, 2))[[0, 4]]
    assert np.array_equal(found.planes, np.concatenate(seen))
    for row, (page, at) in enumerate(wanted):
        own = slice(page.offsets[at], page.offsets[at + 1])
        mine = slice(found.legal.offsets[row], found.legal.offsets[row + 1])
        assert found.legal.values[mine].tolist() == page.actions[own].tolist()
        assert np.allclose(found.policy[mine], page.shares[own], atol=1e-3)
        assert found.policy[mine].sum() == pytest.approx(1, rel=1e-5)
        result = page.results_side_to_move[at]
        assert found.wdl_side_to_move[row].tolist() == [result == 1, result == 0, result == -1]


@pytest.mark.parametrize("fraction", [0.25, 1.0])
def test_values_may_be_what_the_search_expected(fraction: float) -> None:
    page = tree_games(7)
    replay = TreeReplay(100, 0.8, search_value_fraction=fraction)
    replay.add("games-0", page)
    found = replay.examples(np.arange(7)).wdl_side_to_move
    ended = np.array([[r == 1, r == 0, r == -1] for r in page.results_side_to_move])
    assert np.allclose(found, (1 - fraction) * ended + fraction * page.wdl_side_to_move, atol=1e-3)
    assert found.dtype == np.float32
    assert np.allclose(found.sum(axis=1), 1, atol=2e-3)


def test_newer_positions_are_sampled_more_often() -> None:
    """80 % of a batch from the newest quarter."""
    replay = replay_of(30, 10)
    rng = np.random.default_rng(1)
    drawn = replay.sample(rng, 4000)
    recent = {row.tobytes() for row in encode("planes96", boards(10, 2))}
    share = np.mean([row.tobytes() in recent for row in drawn.planes])
    assert share == pytest.approx(0.8, abs=0.03)


def test_shards_that_do_not_fit_together_are_refused() -> None:
    arrays = tree_games(3).arrays()
    assert len(TreeGames.from_arrays(arrays)) == 3
    for name in arrays:
        with pytest.raises(ValueError, match="matching lengths"):
            TreeGames.from_arrays(arrays | {name: arrays[name][:-1]})


def test_half_a_million_positions_take_far_less_than_a_gigabyte() -> None:
    games = tree_games(500)
    assert sum(array.nbytes for array in games.arrays().values()) / len(games) < 500
