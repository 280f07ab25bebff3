"""Games played side by side: the same as games played alone, with fair random draws."""

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.minichess.game import MATE, ONGOING, compile_game
from selfmate.minichess.simulation import (
    ParallelGames,
    Transitions,
    stream_keys,
    uniform_draws,
)
from selfmate.runs.run import copied, restore

GAME = compile_game(4)
VALUES = np.random.default_rng(5).normal(size=(GAME.states, GAME.actions)).astype(np.float32)


def move(games: ParallelGames, epsilon: float = 0.3) -> Transitions:
    return games.play(games.choose(VALUES[games.states], epsilon))


def history(count: int, games: int, seed: int = 7) -> dict[int, list[tuple[int, int]]]:
    """State and action of every move of the first `games` games, by the game's number."""
    together = ParallelGames(GAME, count, seed=seed, draw_reward=-1.0)
    lines: dict[int, list[tuple[int, int]]] = {number: [] for number in range(games)}
    ended: set[int] = set()
    while len(ended) < games:
        numbers = together.numbers.tolist()
        played = move(together)
        for slot, number in enumerate(numbers):
            if number in lines:
                lines[number].append((int(played.states[slot]), int(played.actions[slot])))
                if not played.continues[slot]:
                    ended.add(number)
    return lines


def test_a_game_does_not_depend_on_the_games_beside_it() -> None:
    assert history(1, 40) == history(8, 40) == history(64, 40)


def test_another_seed_plays_other_games() -> None:
    assert history(8, 10, seed=1) != history(8, 10, seed=2)


def test_moves_follow_the_tables() -> None:
    games = ParallelGames(GAME, 16, seed=3, draw_reward=-0.5)
    for _ in range(200):
        played = move(games)
        assert GAME.allowed[played.states, played.actions].all()
        after = GAME.afterstates[played.states, played.actions]
        endings = GAME.endings[after]
        np.testing.assert_array_equal(played.continues == 1, endings == ONGOING)
        expected = np.where(endings == MATE, 1, np.where(endings == ONGOING, 0, -0.5))
        np.testing.assert_allclose(played.rewards, expected)
        for slot in np.flatnonzero(played.continues):
            replies = GAME.replies[after[slot], : GAME.reply_counts[after[slot]]]
            assert played.next_states[slot] in replies
            assert games.states[slot] == played.next_states[slot]


def test_without_exploration_the_best_allowed_action_is_played() -> None:
    games = ParallelGames(GAME, 32, seed=1, draw_reward=-1.0)
    states = games.states.copy()
    best = np.where(GAME.allowed[states], VALUES[states], -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(games.choose(VALUES[states], 0.0), best)


def test_random_play_is_fair() -> None:
    """Starts and actions have their expected frequencies (chi-squared, 5 deviations)."""
    games = ParallelGames(GAME, 1000, seed=11, draw_reward=-1.0)
    starts = np.bincount(games.states, minlength=GAME.states)
    pairs: NDArray[np.int64] = np.zeros((GAME.states, GAME.actions), np.int64)
    for _ in range(300):
        played = move(games, epsilon=1.0)
        np.add.at(pairs, (played.states, played.actions), 1)
        starts += np.bincount(games.states[played.continues == 0], minlength=GAME.states)
    check_frequencies(starts, GAME.start_probabilities)
    state = int(pairs.sum(axis=1).argmax())
    allowed = GAME.allowed[state]
    check_frequencies(pairs[state][allowed], np.full(allowed.sum(), 1 / allowed.sum()))
    assert not pairs[~GAME.allowed].any()


def check_frequencies(counts: NDArray[np.int64], probabilities: NDArray[np.float64]) -> None:
    expected = counts.sum() * probabilities
    possible = expected > 0
    assert not counts[~possible].any()
    chi2 = ((counts[possible] - expected[possible]) ** 2 / expected[possible]).sum()
    freedom = possible.sum() - 1
    assert abs(chi2 - freedom) < 5 * (2 * freedom) ** 0.5


def test_statistics_count_every_game_once() -> None:
    games = ParallelGames(GAME, 8, seed=2, draw_reward=-1.0)
    rewards, lengths, plies = [], [], np.zeros(8, np.int64)
    while games.finished < 50:
        played = move(games)
        plies += 1
        over = np.flatnonzero(played.continues == 0)
        rewards += played.rewards[over].tolist()
        lengths += plies[over].tolist()
        plies[over] = 0
    stats = games.stats.take()
    assert stats["reward"] == pytest.approx(np.mean(rewards))
    assert stats["moves"] == pytest.approx(np.mean(lengths))
    assert stats["mate_percent"] == pytest.approx(100 * np.mean(np.array(rewards) == 1))


def test_restored_games_continue_as_the_original() -> None:
    games, others = (ParallelGames(GAME, 5, seed=4, draw_reward=-1.0) for _ in range(2))
    for _ in range(29):
        move(games)
    restore(others.arrays(), copied(games.arrays()))
    others.refresh()
    for _ in range(50):
        np.testing.assert_array_equal(move(games).next_states, move(others).next_states)


def test_streams_are_uniform_and_uncorrelated() -> None:
    keys = stream_keys(1, np.arange(2000))
    numbers = uniform_draws(keys, np.arange(50, dtype=np.uint64)[:, None])
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert abs(numbers.mean() - 0.5) < 5 * (1 / 12 / numbers.size) ** 0.5
    between = np.corrcoef(numbers)
    assert np.abs(between - np.eye(50)).max() < 5 / 2000**0.5
