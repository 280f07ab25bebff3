"""The tables of the mini-chess reference design as `selfmate endgame reproduce` prints them. The
trainings are done by the listings in C++ (benchmarks/selfmate_benchmarks/peers/listings): the same
games, some ten times as fast. Finished trainings are kept. With `--set episodes=100000` a shorter
training explores like the beginning of a long one. Usage:

    python scripts/reproduce_listings.py --table VII --table VIII --seed 1 --seed 2 --out DIR
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from selfmate.cli.endgame import chosen_tables, write_tables
from selfmate.minichess.curves import Curve
from selfmate.minichess.learner import MiniChessConfig
from selfmate.minichess.reference_tables import TABLES
from selfmate.minichess.reproduction import DEFAULT_SEED, Reproduction, Training
from selfmate_benchmarks.peers.listings import train

GAMES_PER_STEP = 100


def file_of(training: Training) -> Path:
    return training.directory.with_name(f"{training.directory.name}.json")


def do_training(training: Training, games: int) -> None:
    """Trains for so many games, perhaps the first of a longer training, and saves the curve."""
    config = training.config()
    assert isinstance(config, MiniChessConfig)
    began = time.process_time()
    trained = train(config, games, every=GAMES_PER_STEP)
    seconds = time.process_time() - began
    agent = trained.agent
    found = agent.evaluate()
    saved = {name: values.tolist() for name, values in trained.sums.items()}
    file_of(training).write_text(json.dumps({"seconds": seconds, "exact": found, "sums": saved}))
    print(f"{training.directory.name}: {seconds:.0f} s; {found}", flush=True)


def curve_of(training: Training) -> Curve:
    saved = json.loads(file_of(training).read_text())
    sums = {name: np.array(values) for name, values in saved["sums"].items()}
    games = sums["games"]
    return Curve(
        games=games.cumsum(),
        reward=sums["reward"] / games,
        moves=sums["moves"] / games,
        mate_percent=100 * sums["mates"] / games,
        seconds=saved["seconds"],
    )


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", action="append", choices=TABLES, help="may be repeated")
    parser.add_argument("--seed", action="append", type=int, help="may be repeated")
    parser.add_argument("--episodes", type=int, default=100_000, help="games of each training")
    parser.add_argument("--set", action="append", default=[], help="a setting of all agents")
    parser.add_argument("--grid", action="append", default=[], help="key=a,b of the last agent")
    parser.add_argument("--out", type=Path, default=Path("runs/listings"))
    return parser.parse_args()


def main() -> None:
    arguments = read_arguments()
    plan = Reproduction(
        tables=chosen_tables(tuple(arguments.table or TABLES), arguments.grid, arguments.set),
        episodes=arguments.episodes,
        directory=arguments.out,
        seeds=tuple(arguments.seed or [DEFAULT_SEED]),
        curve_of=curve_of,
    )
    plan.check()
    plan.directory.mkdir(parents=True, exist_ok=True)
    with threadpool_limits(limits=1, user_api="blas"):
        for training in plan.trainings():
            if not file_of(training).exists():
                do_training(training, arguments.episodes)
    print("\n\n".join(write_tables(plan)))


if __name__ == "__main__":
    main()
