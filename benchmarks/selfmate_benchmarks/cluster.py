"""Self-play of AlphaZero by workers of Ray, beside threads of one process."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median

import numpy as np

from selfmate.cluster.address import ClusterAddress
from selfmate.cluster.pool import RayPool
from selfmate.cluster.shelf import Shelf
from selfmate.learners.alphazero.config import Config
from selfmate.learners.alphazero.learner import AlphaZero
from selfmate.runs import Arrays
from selfmate.selfplay.games import trajectories
from selfmate.selfplay.workers import (
    GameTask,
    GameTasks,
    RayWorkers,
    ThreadWorkers,
    Workers,
    replay,
    unpacked,
)
from selfmate_benchmarks import Results, has_module, median_ratio, rates_by_round

ROUNDS = 3
BROADCASTS = 5
# As the preset `tiny` plays, except for the number and length of the games.
SELF_PLAY = {
    "games": 64,
    "parallel_games": 32,
    "simulations": 24,
    "num_considered_actions": 8,
    "max_plies": 8,
}
KEYS = (
    "ray_one_actor_x_vs_in_process",
    "ray_two_actors_x_vs_two_threads",
    "ray_bytes_per_position",
    "ray_weights_mb",
    "ray_broadcast_ms",
    "ray_head_ms_per_game",
    "ray_start_s",
)


def run(rounds: int = ROUNDS) -> Results:
    """Two pools cannot be open at once: one actor is raced first, then two."""
    if not has_module("ray"):
        return dict.fromkeys(KEYS)
    learner = AlphaZero(Config.model_validate(SELF_PLAY))
    one = race(learner, 1, rounds)
    two = race(learner, 2, rounds)
    return {
        "ray_one_actor_x_vs_in_process": median_ratio(one.by_actors, one.by_threads),
        "ray_two_actors_x_vs_two_threads": median_ratio(two.by_actors, two.by_threads),
        "ray_bytes_per_position": two.bytes_per_position,
        "ray_weights_mb": sum(array.nbytes for array in learner.best.arrays().values()) / 2**20,
        "ray_broadcast_ms": two.broadcast_ms,
        "ray_head_ms_per_game": head_ms_per_game(learner),
        "ray_start_s": two.start_seconds,
    }


@dataclass(frozen=True, kw_only=True)
class Race:
    by_threads: list[float]  # plies per second
    by_actors: list[float]
    bytes_per_position: float
    broadcast_ms: float
    start_seconds: float  # of a cluster with its workers


def race(learner: AlphaZero, workers: int, rounds: int) -> Race:
    began = time.perf_counter()
    pool = RayPool(ClusterAddress(local_cpus=workers), workers)
    pool.connect()
    with pool:
        actors = RayWorkers(pool)
        pool.wait_until_ready(workers)
        started = time.perf_counter() - began
        threads = ThreadWorkers(workers, workers)
        goes = {name: partial(plies_of, learner, who) for name, who in
                (("threads", threads), ("actors", actors))}  # fmt: skip
        rates = rates_by_round(goes, rounds)
        plies_of(learner, actors)
        moved = pool.timings()["bytes_moved"]
        broadcast = [1000 * broadcast_seconds(learner, pool, seed) for seed in range(BROADCASTS)]
    return Race(
        by_threads=rates["threads"],
        by_actors=rates["actors"],
        bytes_per_position=moved / positions_of(learner),
        broadcast_ms=median(broadcast),
        start_seconds=started,
    )


def plies_of(learner: AlphaZero, workers: Workers) -> float:
    """Of the same games every time."""
    plan = learner.plan(np.random.default_rng(1))
    return workers.play(learner.actors(), plan).stats.plies


def positions_of(learner: AlphaZero) -> int:
    plan = learner.plan(np.random.default_rng(1))
    return len(ThreadWorkers(1, 1).play(learner.actors(), plan).games)


@dataclass(frozen=True)
class FetchTask:
    """Fetches weights, and does nothing with them."""

    digest: str
    units: int = 1

    def run(self, shelf: Shelf) -> bytes:
        return b"%d" % shelf.made(self.digest, len)


class FetchTasks:
    """A task for each worker."""

    def __init__(self, digest: str, workers: int) -> None:
        self._digest, self._left = digest, workers

    def take(self, workers: int) -> FetchTask | None:
        self._left -= 1
        return FetchTask(self._digest) if self._left >= 0 else None


def broadcast_seconds(learner: AlphaZero, pool: RayPool, seed: int) -> float:
    """From weights on the head to weights on all workers."""
    weights: Mapping[str, Arrays] = {f"{seed}": dict(learner.best.arrays())}
    began = time.perf_counter()
    for _ in pool.run(FetchTasks(f"{seed}", pool.size), weights):
        pass
    return time.perf_counter() - began


def head_ms_per_game(learner: AlphaZero) -> float:
    """What the head does with a game that a worker played: unpack, replay and sort it."""
    factory, plan = learner.actors(), learner.plan(np.random.default_rng(1))
    tasks, shelf, data = GameTasks(factory, plan), Shelf(), list[bytes]()
    shelf.put({net.digest: net.weights or {} for net in factory.nets})
    while (task := tasks.take(2)) is not None:
        assert isinstance(task, GameTask)
        data.append(task.run(shelf))
    began = time.perf_counter()
    played = [unpacked(part) for part in data]
    replay(plan.boards, played)
    trajectories(played, plan, workers=1)
    return 1000 * (time.perf_counter() - began) / len(plan.boards)
