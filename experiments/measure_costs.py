"""The costs that `scale_simulation.py` takes, measured on one core in processor time.

python experiments/measure_costs.py [--games 8] [--plies 90]
"""

import argparse
import time

import numpy as np

from selfmate.cluster.shelf import Shelf, digest_of
from selfmate.learners.alphazero.config import Config
from selfmate.learners.alphazero.learner import AlphaZero
from selfmate.nets.optim import one_thread
from selfmate.selfplay.alphazero import tree_games
from selfmate.selfplay.games import trajectories
from selfmate.selfplay.workers import GameTasks, replay, unpacked

SETTINGS = {"parallel_games": 32, "simulations": 24, "num_considered_actions": 8, "threads": 1}
UPDATES = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--plies", type=int, default=90)
    given = parser.parse_args()
    settings = SETTINGS | {"games": given.games, "max_plies": given.plies}
    learner = AlphaZero(Config.model_validate(settings | {"resign_threshold": 1.0}))
    factory, plan = learner.actors(), learner.plan(np.random.default_rng(1))
    shelf, tasks, data = Shelf(), GameTasks(factory, plan), list[bytes]()
    shelf.put({net.digest: net.weights or {} for net in factory.nets})
    began = time.process_time()
    while (task := tasks.take(1)) is not None:
        data.append(task.run(shelf))
    played_at = time.process_time()
    parts = [unpacked(part) for part in data]
    replay(plan.boards, parts)
    games = trajectories(parts, plan, workers=1)
    joined_at = time.process_time()
    digest_of(learner.best.arrays())
    digested_at = time.process_time()
    positions, size = len(games.games), sum(map(len, data))
    learner.replay.add("games", tree_games(games))
    with one_thread():
        batch = learner.replay.sample(np.random.default_rng(1), 640)
        trained_from = time.process_time()
        for _ in range(UPDATES):
            learner.training_step(batch, 0.01)
    trained = (time.process_time() - trained_from) / UPDATES
    print(f"{given.games} games, {games.stats.plies} plies, {games.leaves} leaves")
    print(f"game             {(played_at - began) / given.games:.3f} s")
    print(f"a ply            {1000 * (played_at - began) / games.stats.plies:.2f} ms")
    print(f"head, per game   {1000 * (joined_at - played_at) / given.games:.2f} ms")
    print(f"digest           {1000 * (digested_at - joined_at):.1f} ms")
    print(f"bytes a position {size / positions:.0f}, of a game {size / given.games:.0f}")
    print(f"training         {640 / trained:.0f} positions/s, {trained:.2f} s an update of 640")


if __name__ == "__main__":
    main()
