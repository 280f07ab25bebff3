"""MaskablePPO of sb3-contrib learns the mini-chess: king and queen mate a king, on 4x4.

    pip install 'selfmate[gym]' stable-baselines3 sb3-contrib
    python examples/maskable_ppo/ppo_minichess.py

Every so often the policy is evaluated exactly, from all starts and against all replies.
"""

import argparse
import time

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv

from selfmate.envs.minichess_env import MiniChessEnv
from selfmate.minichess.evaluation import evaluate_policy
from selfmate.minichess.game import Game, compile_game

ENVS, STEPS = 16, 128  # an update learns from 2,048 moves


def make_model(seed: int) -> MaskablePPO:
    return MaskablePPO(
        "MlpPolicy",
        DummyVecEnv([MiniChessEnv] * ENVS),
        n_steps=STEPS,
        batch_size=512,
        n_epochs=6,
        learning_rate=2e-3,
        gamma=0.9,  # of the mates in sight, the nearest
        gae_lambda=0.9,
        ent_coef=0.005,
        policy_kwargs={"net_arch": [128, 128]},
        seed=seed,
        device="cpu",
    )


def greedy_actions(model: MaskablePPO, game: Game) -> NDArray[np.int64]:
    """[S] The likeliest allowed action of every state."""
    masks = game.allowed.copy()  # which torch may write to
    actions, _ = model.predict(game.vectors(), action_masks=masks, deterministic=True)
    return np.asarray(actions, np.int64)


class Curve(BaseCallback):
    """Prints how the games of the greedy policy end, and stops when enough of them are mates."""

    def __init__(self, enough_percent: float) -> None:
        super().__init__()
        self.enough, self.game, self.mates = enough_percent, compile_game(4), 0.0
        self.started, self.updates = time.perf_counter(), 0

    def _on_rollout_start(self) -> None:
        self.updates += 1
        if self.updates % 5 == 0:
            assert isinstance(self.model, MaskablePPO)
            found = evaluate_policy(self.game, greedy_actions(self.model, self.game))
            self.mates = found.mate_percent
            seconds = time.perf_counter() - self.started
            print(f"{self.num_timesteps:>9,} moves {seconds:6.1f} s {self.mates:6.2f} % mates")

    def _on_step(self) -> bool:
        return self.mates < self.enough


def train(*, moves: int, enough_percent: float, seed: int) -> float:
    """The percentage of games that the greedy policy mates in, exactly."""
    torch.set_num_threads(1)
    model = make_model(seed)
    model.learn(moves, callback=Curve(enough_percent))
    game = compile_game(4)
    return evaluate_policy(game, greedy_actions(model, game)).mate_percent


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=300_000, help="at most so many moves")
    parser.add_argument("--enough", type=float, default=95.0, help="stop at so many %% mates")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    mates = train(moves=given.moves, enough_percent=given.enough, seed=given.seed)
    print(f"{mates:.2f} % of all games end in mate")
