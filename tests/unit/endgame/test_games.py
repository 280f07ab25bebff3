"""Games stepped together: the same as games played alone, and random as they should be."""

import numpy as np
import pytest
from numpy.typing import NDArray

from selfmate.endgame.dice import rolls, stream_keys
from selfmate.endgame.game import GOES_ON, MATE, compile_game
from selfmate.endgame.games import Games, Moves
from selfmate.endgame.replay import Replay
from selfmate.runs.live import copied, restore

GAME = compile_game(4)
VALUES = np.random.default_rng(5).normal(size=(GAME.states, GAME.actions)).astype(np.float32)


def move(games: Games, epsilon: float = 0.3) -> Moves:
    return games.play(games.choose(VALUES[games.states], epsilon))


def history(count: int, games: int, seed: int = 7) -> dict[int, list[tuple[int, int]]]:
    """State and action of every move of the first `games` games, by the game's number."""
    together = Games(GAME, count, seed=seed, draw_reward=-1.0)
    lines: dict[int, list[tuple[int, int]]] = {number: [] for number in range(games)}
    ended: set[int] = set()
    while len(ended) < games:
        numbers = together.numbers.tolist()
        played = move(together)
        for slot, number in enumerate(numbers):
            if number in lines:
                lines[number].append((int(played.states[slot]), int(played.actions[slot])))
                if not played.goes_on[slot]:
                    ended.add(number)
    return lines


def test_a_game_does_not_depend_on_those_beside_it() -> None:
    assert history(1, 40) == history(8, 40) == history(64, 40)


def test_another_seed_plays_other_games() -> None:
    assert history(8, 10, seed=1) != history(8, 10, seed=2)


def test_moves_follow_the_tables() -> None:
    games = Games(GAME, 16, seed=3, draw_reward=-0.5)
    for _ in range(200):
        played = move(games)
        assert GAME.allowed[played.states, played.actions].all()
        after = GAME.afterstates[played.states, played.actions]
        endings = GAME.endings[after]
        np.testing.assert_array_equal(played.goes_on == 1, endings == GOES_ON)
        expected = np.where(endings == MATE, 1, np.where(endings == GOES_ON, 0, -0.5))
        np.testing.assert_allclose(played.rewards, expected)
        for slot in np.flatnonzero(played.goes_on):
            replies = GAME.replies[after[slot], : GAME.reply_counts[after[slot]]]
            assert played.next_states[slot] in replies
            assert games.states[slot] == played.next_states[slot]


def test_without_exploring_the_best_allowed_action_is_played() -> None:
    games = Games(GAME, 32, seed=1, draw_reward=-1.0)
    states = games.states.copy()
    best = np.where(GAME.allowed[states], VALUES[states], -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(games.choose(VALUES[states], 0.0), best)


def test_random_play_is_fair() -> None:
    """Starts, actions and replies come as often as they should (chi-squared, 5 deviations)."""
    games = Games(GAME, 1000, seed=11, draw_reward=-1.0)
    starts = np.bincount(games.states, minlength=GAME.states)
    pairs: NDArray[np.int64] = np.zeros((GAME.states, GAME.actions), np.int64)
    for _ in range(300):
        played = move(games, epsilon=1.0)
        np.add.at(pairs, (played.states, played.actions), 1)
        starts += np.bincount(games.states[played.goes_on == 0], minlength=GAME.states)
    check_shares(starts, GAME.start_probabilities)
    state = int(pairs.sum(axis=1).argmax())
    allowed = GAME.allowed[state]
    check_shares(pairs[state][allowed], np.full(allowed.sum(), 1 / allowed.sum()))
    assert not pairs[~GAME.allowed].any()


def check_shares(counts: NDArray[np.int64], shares: NDArray[np.float64]) -> None:
    expected = counts.sum() * shares
    possible = expected > 0
    assert not counts[~possible].any()
    chi2 = ((counts[possible] - expected[possible]) ** 2 / expected[possible]).sum()
    freedom = possible.sum() - 1
    assert abs(chi2 - freedom) < 5 * (2 * freedom) ** 0.5


def test_the_tally_counts_every_game_once() -> None:
    games = Games(GAME, 8, seed=2, draw_reward=-1.0)
    rewards, lengths, plies = [], [], np.zeros(8, np.int64)
    while games.finished < 50:
        played = move(games)
        plies += 1
        over = np.flatnonzero(played.goes_on == 0)
        rewards += played.rewards[over].tolist()
        lengths += plies[over].tolist()
        plies[over] = 0
    tally = games.tally.take()
    assert tally["reward"] == pytest.approx(np.mean(rewards))
    assert tally["moves"] == pytest.approx(np.mean(lengths))
    assert tally["mate_percent"] == pytest.approx(100 * np.mean(np.array(rewards) == 1))


def test_restored_games_go_on_as_they_would_have() -> None:
    games, others = (Games(GAME, 5, seed=4, draw_reward=-1.0) for _ in range(2))
    for _ in range(29):
        move(games)
    restore(others.arrays(), copied(games.arrays()))
    others.refresh()
    for _ in range(50):
        np.testing.assert_array_equal(move(games).next_states, move(others).next_states)


def test_streams_are_uniform_and_unlike_each_other() -> None:
    keys = stream_keys(1, np.arange(2000))
    numbers = rolls(keys, np.arange(50, dtype=np.uint64)[:, None])
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert abs(numbers.mean() - 0.5) < 5 * (1 / 12 / numbers.size) ** 0.5
    between = np.corrcoef(numbers)
    assert np.abs(between - np.eye(50)).max() < 5 / 2000**0.5


def test_replay_keeps_the_newest() -> None:
    games, replay = Games(GAME, 8, seed=6, draw_reward=-1.0), Replay(20)
    newest = [move(games) for _ in range(9)]
    for played in newest:
        replay.store(played)
    assert len(replay) == 20
    kept = np.concatenate([played.next_states for played in newest])[-20:]
    assert sorted(replay.indices[2].tolist()) == sorted(kept.tolist())
    drawn = replay.sample(np.random.default_rng(1), 4000)
    assert set(drawn.next_states.tolist()) == set(kept.tolist())
