"""What more workers bring: a simulation of AlphaZero's cycles with measured costs.

    python experiments/scale_simulation.py [--json] [--workers 1 10 100 1000]

Each cycle has the parts of a real one. Self-play: games of uneven length are divided into tasks as
`selfmate.selfplay.workers.GameTasks` does it, and workers take a task when they have none. The head
unpacks results one after the other. Then the learner trains, while the workers wait. Variants:

    cycles      as built: self-play and training in turns, a fixed number of games per cycle
    larger      so many games per cycle that self-play takes as long as with ten workers
    learners    larger cycles, and so many learners with averaged gradients as balance self-play
    window      asynchronous: workers play on with older weights while one learner trains

The formula beside each figure ignores uneven lengths: W workers need
    games * game_seconds / W + broadcast + updates * update_seconds.
"""

import argparse
import heapq
import json
import math
from dataclasses import dataclass, replace

import numpy as np

TASKS_PER_WORKER, MIN_GAMES_PER_TASK = 2, 8  # as in selfmate.selfplay.workers


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Seconds, of one core; docs/scale.md says where each figure comes from."""

    game: float = 12.9  # a game of 90 plies with 800 simulations a move, net of 4 x 64
    game_spread: float = 0.5  # standard deviation of the logarithm of a game's length
    head_per_game: float = 0.0004  # unpack, replay, sort
    task: float = 0.002  # sending and receiving
    broadcast: float = 0.1  # weights to one node; nodes fetch them from each other, as a tree
    workers_per_node: int = 8
    positions_per_game: float = 90.0
    positions_trained_per_second: float = 1540.0  # by one learner on two cores
    uses_per_position: float = 4.0
    average_gradients: float = 0.05  # per update and doubling of learners; assumed, not measured
    batch: int = 640
    parallel_games: int = 32


@dataclass(frozen=True, kw_only=True)
class Cycle:
    self_play: float  # seconds
    training: float
    waiting: float  # the fraction of the workers' time in which they have nothing to do

    @property
    def seconds(self) -> float:
        return self.self_play + self.training


def self_play(
    costs: Costs, games: int, workers: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Seconds until the head has all games, and the seconds that workers were busy."""
    sigma = costs.game_spread
    lengths = costs.game * np.exp(sigma * rng.standard_normal(games) - sigma**2 / 2)
    free = [broadcast_seconds(costs, workers)] * workers  # when each worker is free
    head_free, busy, first = 0.0, 0.0, 0
    heapq.heapify(free)
    arrivals = list[tuple[float, int]]()
    while first < games:
        left = games - first
        count = max(MIN_GAMES_PER_TASK, -(-left // (TASKS_PER_WORKER * workers)))
        count = min(left, count, costs.parallel_games)
        seconds = float(lengths[first : first + count].sum()) + costs.task
        ended = heapq.heappop(free) + seconds
        heapq.heappush(free, ended)
        arrivals.append((ended, count))
        busy, first = busy + seconds, first + count
    for ended, count in sorted(arrivals):
        head_free = max(head_free, ended) + costs.head_per_game * count
    return head_free, busy


def broadcast_seconds(costs: Costs, workers: int) -> float:
    nodes = -(-workers // costs.workers_per_node)
    return costs.broadcast * (1 + math.ceil(math.log2(nodes)) if nodes > 1 else 1)


def training_seconds(costs: Costs, games: int, learners: int = 1) -> float:
    positions = games * costs.positions_per_game * costs.uses_per_position
    updates = math.ceil(positions / costs.batch)
    alone = positions / costs.positions_trained_per_second
    return alone / learners + updates * costs.average_gradients * math.log2(learners)


def cycle(costs: Costs, games: int, workers: int, learners: int = 1, seed: int = 1) -> Cycle:
    played, busy = self_play(costs, games, workers, np.random.default_rng(seed))
    trained = training_seconds(costs, games, learners)
    return Cycle(
        self_play=played, training=trained, waiting=1 - busy / ((played + trained) * workers)
    )


def formula_seconds(costs: Costs, games: int, workers: int, learners: int = 1) -> float:
    played = games * costs.game / workers + broadcast_seconds(costs, workers)
    return played + training_seconds(costs, games, learners)


def best_learners(costs: Costs, games: int, workers: int) -> int:
    """The power of two with the shortest cycle."""
    return min(
        (2**n for n in range(11)),
        key=lambda learners: formula_seconds(costs, games, workers, learners),
    )


def row(
    name: str, costs: Costs, games: int, workers: int, learners: int = 1
) -> dict[str, float | str]:
    found = cycle(costs, games, workers, learners)
    return {
        "variant": name, "workers": workers, "games_per_cycle": games, "learners": learners,
        "games_per_minute": 60 * games / found.seconds,
        "formula_games_per_minute": 60 * games / formula_seconds(costs, games, workers, learners),
        "self_play_s": found.self_play, "training_s": found.training, "waiting": found.waiting,
        "staleness_cycles": 0.0,
    }  # fmt: skip


def window_row(costs: Costs, games: int, workers: int) -> dict[str, float | str]:
    """Self-play and training overlap: the slower one decides. Games are older than the weights by
    what is played while the learner makes one cycle's updates."""
    played, busy = self_play(costs, games, workers, np.random.default_rng(1))
    trained = training_seconds(costs, games)
    seconds = max(busy / workers, games * costs.head_per_game, trained)
    return {
        "variant": "window", "workers": workers, "games_per_cycle": games, "learners": 1,
        "games_per_minute": 60 * games / seconds, "formula_games_per_minute": 60 * games / seconds,
        "self_play_s": played, "training_s": trained,
        "waiting": 1 - busy / (seconds * workers),
        "staleness_cycles": (trained + played) / seconds,
    }  # fmt: skip


def table(costs: Costs, games: int, workers: list[int]) -> list[dict[str, float | str]]:
    rows = []
    for count in workers:
        larger = max(games, games * count // 10)
        learners = best_learners(costs, larger, count)
        rows += [
            row("cycles", costs, games, count),
            row("larger", costs, larger, count),
            row("learners", costs, larger, count, learners),
            window_row(costs, larger, count),
        ]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--games", type=int, default=256, help="per cycle")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 10, 100, 1000])
    parser.add_argument("--set", nargs="*", default=[], help="costs, as game=3.0")
    given = parser.parse_args()
    changes = {name: float(value) for name, _, value in (text.partition("=") for text in given.set)}
    rows = table(replace(Costs(), **changes), given.games, given.workers)
    if given.json:
        print(json.dumps(rows))
        return
    print(" ".join(f"{name:>24}" for name in rows[0]))
    for entry in rows:
        shown = (f"{v:24.3g}" if isinstance(v, float) else f"{v!s:>24}" for v in entry.values())
        print(" ".join(shown))


if __name__ == "__main__":
    main()
