"""MaskablePPO of sb3-contrib plays chess against any player of Selfmate.

    python examples/maskable_ppo/ppo_chess.py --opponent greedy --moves 200000

It learns the interface more than the game: a few hundred thousand moves do not make a chess player.
"""

import argparse

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import DummyVecEnv

from selfmate.envs.chess_env import ChessEnv

ENVS = 8


def make_env(opponent: str) -> ChessEnv:
    """Small inputs and few actions: a linear layer of 839 and an output of 1,968."""
    return ChessEnv(
        opponent, color="random", observation="features839", actions="uci1968", max_plies=200
    )


def score(model: MaskablePPO, opponent: str, games: int) -> float:
    """Points per game."""
    env, points = make_env(opponent), 0.0
    for game in range(games):
        seen, _ = env.reset(seed=game)
        over, reward = False, 0.0
        while not over:
            action, _ = model.predict(seen, action_masks=env.action_masks())
            seen, reward, terminated, truncated, _ = env.step(np.int64(action))
            over = terminated or truncated
        points += (reward + 1) / 2
    return points / games


def train(opponent: str, moves: int, *, steps: int = 256, seed: int = 1) -> MaskablePPO:
    torch.set_num_threads(1)
    envs = DummyVecEnv([lambda: make_env(opponent)] * ENVS)
    model = MaskablePPO(
        "MlpPolicy", envs, n_steps=steps, batch_size=256, gamma=0.99, seed=seed, device="cpu"
    )
    return model.learn(moves)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--moves", type=int, default=50_000)
    parser.add_argument("--games", type=int, default=20, help="of the test afterwards")
    given = parser.parse_args()
    trained = train(given.opponent, given.moves)
    points = score(trained, given.opponent, given.games)
    print(f"{points:.2f} points per game against {given.opponent}")
