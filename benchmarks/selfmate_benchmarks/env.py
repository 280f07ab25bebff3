"""Environments for reinforcement learning: random play with observations and legal actions, beside
PettingZoo's `chess_v6` and OpenSpiel from Python. A step is a ply."""

import random
import time
import warnings
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate_benchmarks import Go, Results, has_module, median_ratio, rates_by_round

ROUNDS = 5
VECTOR_GAMES, VECTOR_STEPS = 256, 40
PLIES = 400  # of the contestants with a single game
SLOW_PLIES = 60  # of PettingZoo


def run(rounds: int = ROUNDS) -> Results:
    """By processor time of one thread. Every contestant gives planes and the legal actions; we and
    PettingZoo give a mask."""
    rates = rates_by_round(
        {
            "vector": _vector() if has_module("gymnasium") else None,
            "single": _single() if has_module("pettingzoo") else None,
            "pettingzoo": _pettingzoo() if has_chess_v6() else None,
            "openspiel": _openspiel() if has_module("pyspiel") else None,
        },
        rounds,
        time.process_time,
    )
    found: Results = {}
    for ours, prefix in (("vector", ""), ("single", "single_")):
        for peer in ("pettingzoo", "openspiel"):
            both = rates[ours] and rates[peer]
            found[f"{prefix}x_vs_{peer}"] = median_ratio(rates[ours], rates[peer]) if both else None
    for name, some in rates.items():
        found[f"{name}_steps_per_s"] = median(some) if some else None
    return found


def has_chess_v6() -> bool:
    """Its module needs pygame as well."""
    return has_module("pettingzoo") and has_module("pygame")


def _vector() -> Go:
    """Many games in the core, by Gymnasium's vector interface."""
    from selfmate.envs.vector import ChessVectorEnv

    envs = ChessVectorEnv(VECTOR_GAMES, threads=1, copy=False)
    _, infos = envs.reset(seed=1)
    masks, rng = infos["action_mask"], np.random.default_rng(1)

    def go() -> float:
        nonlocal masks
        for _ in range(VECTOR_STEPS):
            _, _, _, _, infos = envs.step(random_actions(masks, rng))
            masks = infos["action_mask"]
        return float(VECTOR_GAMES * VECTOR_STEPS)

    return go


def random_actions(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """[B] One of each row's legal actions, from masks [B, A]."""
    games, actions = masks.shape
    legal = np.flatnonzero(masks.view(np.bool_))
    ends = np.searchsorted(legal, np.arange(games + 1) * actions)
    drawn = ends[:-1] + (rng.random(games) * np.diff(ends)).astype(np.int64)
    chosen: NDArray[np.int64] = legal[drawn] % actions
    return chosen


def _single() -> Go:
    """Our environment for PettingZoo."""
    from selfmate.envs import chess_v0

    return _aec(chess_v0.env(observation="planes68", actions="az4672"), PLIES)


def _pettingzoo() -> Go:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its modules warn about their own imports
        from pettingzoo.classic import chess_v6
    return _aec(chess_v6.env(), SLOW_PLIES)


def _aec(env: Any, plies: int) -> Go:
    choose = random.Random(1).choice

    def go() -> float:
        env.reset(seed=1)
        for _ in range(plies):
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset(seed=1)
                continue
            env.step(choose(np.flatnonzero(seen["action_mask"]).tolist()))
        return float(plies)

    return go


def _openspiel() -> Go:
    """Its environment for Python, which gives lists; nets need an array."""
    from open_spiel.python import rl_environment

    env, choose = rl_environment.Environment("chess"), random.Random(1).choice

    def go() -> float:
        seen = env.reset()
        for _ in range(PLIES):
            if seen.last():
                seen = env.reset()
            player = seen.observations["current_player"]
            np.array(seen.observations["info_state"][player], np.float32)
            seen = env.step([choose(seen.observations["legal_actions"][player])])
        return float(PLIES)

    return go
