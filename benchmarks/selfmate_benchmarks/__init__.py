"""Benchmarks: the speed of Selfmate and its peers, measured side by side in one run.

Each suite is a module of this package with `run() -> Results` that takes at most a minute.
`selfmate bench` runs them. The slow peers in `peers` serve the oracle tests as well.
"""

import time
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from statistics import median

# Results of a suite by key. Ratios are called `..._x_vs_PEER`. None: the peer is not installed.
Results = dict[str, float | None]
# Does some work and returns the number of units done.
Go = Callable[[], float]

SUITES = {
    "rules": "perft and random play, beside python-chess, Stockfish and OpenSpiel",
    "teacher": "labelling positions at depth 2, beside the same search in python-chess",
    "endgame": "mini-chess training, beside a transcription of the reference design's listing",
    "dqn": "playing, learning and imitating with a Q-net, beside dense layers of torch",
    "reinforce": "games played and learned from, beside python-chess and torch move by move",
    "lab": "response times of the lab while trainings use all cores",
    "pgn": "reading games, beside python-chess and pgn-extract",
    "import": "games read, filtered and written in chunks, beside a script with python-chess",
    "mcts": "tree search with and without a net, beside the net alone and a search in Python",
    "inference": "AlphaZero's net alone, beside torch, ONNX Runtime and OpenVINO",
    "train": "AlphaZero's net learning and playing, beside torch's convolutions",
    "searchless": "games of a net that tries any move, beside the net alone",
    "env": "games of environments for reinforcement learning, beside PettingZoo and OpenSpiel",
    "tab": "rules and REINFORCE in a browser, beside the native core and TensorFlow.js",
    "ray": "self-play of AlphaZero by workers of Ray, beside threads of one process",
}
# Suites whose module has another name.
_MODULES = {"import": "game_import", "endgame": "minichess", "ray": "cluster"}


def load_suite(name: str) -> Callable[[], Results]:
    """The `run` function of a suite."""
    if name not in SUITES:
        raise ValueError(f"no benchmark suite {name!r}; there are: {', '.join(SUITES)}")
    module = import_module(f"selfmate_benchmarks.{_MODULES.get(name, name)}")
    run: Callable[[], Results] = module.run
    return run


# Measuring on a noisy machine: contestants take turns. Either the best round of each counts, or,
# where that is too coarse, the median of the ratios of all rounds.


def rates_by_round(
    contestants: Mapping[str, Go | None], rounds: int, clock: Callable[[], float] | None = None
) -> dict[str, list[float]]:
    """Units per second of each contestant in every round; empty for one that is None. The clock is
    that on the wall unless another is given.

    Every other round runs in reverse order, so that no contestant always follows the same one.
    """
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    now = clock or time.perf_counter
    present = [(name, go) for name, go in contestants.items() if go is not None]
    for number in range(rounds):
        for name, go in reversed(present) if number % 2 else present:
            started = now()
            units = go()
            rates[name].append(units / (now() - started))
    return rates


def best_rates(contestants: Mapping[str, Go | None], rounds: int) -> dict[str, float | None]:
    """Units per second of each contestant's best round; None for one that is None."""
    found = rates_by_round(contestants, rounds)
    return {name: max(rates, default=None) for name, rates in found.items()}


def ratio(ours: float | None, theirs: float | None) -> float | None:
    """Our speed divided by theirs; None when either is missing."""
    return ours / theirs if ours and theirs else None


def median_ratio(ours: list[float], theirs: list[float]) -> float:
    """The median over rounds of our speed divided by theirs."""
    return median(mine / other for mine, other in zip(ours, theirs, strict=True))


def has_module(name: str) -> bool:
    """Whether a Python module is installed, without importing it."""
    return find_spec(name) is not None
