"""The replay buffer of Double DQN."""

import numpy as np

from selfmate.minichess.ddqn import ReplayBuffer
from selfmate.minichess.game import compile_game
from selfmate.minichess.simulation import ParallelGames


def test_the_replay_buffer_keeps_the_newest_transitions() -> None:
    game = compile_game(4)
    games, replay = ParallelGames(game, 8, seed=6, draw_reward=-1.0), ReplayBuffer(20)
    values = np.random.default_rng(5).normal(size=(game.states, game.actions)).astype(np.float32)
    newest = [games.play(games.choose(values[games.states], 0.3)) for _ in range(9)]
    for played in newest:
        replay.store(played)
    assert len(replay) == 20
    kept = np.concatenate([played.next_states for played in newest])[-20:]
    assert sorted(replay.indices[2].tolist()) == sorted(kept.tolist())
    drawn = replay.sample(np.random.default_rng(1), 4000)
    assert set(drawn.next_states.tolist()) == set(kept.tolist())
