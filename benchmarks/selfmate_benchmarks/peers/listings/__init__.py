"""The listings of the reference design in C++: an oracle for the learners in NumPy, and the fastest
way to the tables of the mini-chess. Compiled when it is first needed, by the compiler `c++`.
"""

import ctypes
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfmate.minichess.ddqn import Config as DdqnConfig
from selfmate.minichess.ddqn import Ddqn
from selfmate.minichess.game import Game
from selfmate.minichess.learner import MiniChessConfig
from selfmate.minichess.sarsa import Config as SarsaConfig
from selfmate.minichess.sarsa import Sarsa

COMPILER = "c++"
OPTIONS = (
    "-std=c++20",
    "-O3",
    "-march=native",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-shared",
    "-fPIC",
)
TABLES = ("afterstates", "choices", "choice_counts", "endings", "replies", "reply_counts")
SUMS = ("games", "moves", "mates", "reward", "squared_errors", "updates")


class Tables(ctypes.Structure):
    _fields_ = [
        ("actions", ctypes.c_int64),
        ("states", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in (*TABLES, "features", "starts")),
    ]


@dataclass(frozen=True)
class Trained:
    """Sums over every hundred games, by name as in `SUMS`, and the NumPy agent with the weights."""

    sums: dict[str, NDArray[np.float64]]
    agent: Sarsa | Ddqn


def has_compiler() -> bool:
    return shutil.which(COMPILER) is not None


def train(config: MiniChessConfig, games: int, every: int = 100) -> Trained:
    """Trains for so many games, a multiple of `every`, from the weights and with the random numbers
    of the agent in NumPy."""
    check_listed(config)
    agent = Ddqn(config) if isinstance(config, DdqnConfig) else _sarsa(config)
    first, last = agent.net.layers
    weights = [np.ascontiguousarray(first), np.ascontiguousarray(last.T)]
    arrays = table_arrays(agent.game)
    tables = Tables(agent.game.actions, agent.game.states, *map(_address, arrays))
    settings = settings_of(config)
    sums = np.zeros((games // every, len(SUMS)))
    _library().train_listing(
        isinstance(config, DdqnConfig), ctypes.byref(tables), _address(settings),
        ctypes.c_int64(first.shape[0]), ctypes.c_int64(first.shape[1]), *map(_address, weights),
        _address(pcg64_words(agent.rng)), ctypes.c_int64(games), ctypes.c_int64(every),
        _address(sums),
    )  # fmt: skip
    first[:], last[:] = weights[0], weights[1].T
    return Trained(dict(zip(SUMS, sums.T, strict=True)), agent)


def check_listed(config: MiniChessConfig) -> None:
    """ValueError for settings that the listings do not have."""
    fixed = {"parallel_games": 1, "activation": "sigmoid", "output": "sigmoid"}
    fixed["learning_rate_schedule"] = "constant"
    if isinstance(config, DdqnConfig):
        fixed |= {"quirk_max_of_all": True, "target_update_unit": "updates", "optimizer": "sgd"}
    for name, value in fixed.items():
        if getattr(config, name) != value:
            raise ValueError(f"the listings have {name} = {value}")
    if len(config.hidden) != 1:
        raise ValueError("the listings have one hidden layer")
    has_quirk = not isinstance(config, SarsaConfig) or config.has_quirky_update
    if config.optimizer == "adam" and not has_quirk:
        raise ValueError("the listings have Adam only with a quirk of the update")


def settings_of(config: MiniChessConfig) -> NDArray[np.float64]:
    """In the order of `Settings`; 0 for what the learner does not have."""
    adam = config.adam_epsilon if config.optimizer == "adam" else 0.0
    shared = ("episodes", "seed", "gamma", "epsilon0", "beta", "learning_rate", "draw_reward")
    of_sarsa = [f"quirk_{name}" for name in ("redraw", "next_hidden", "all_outputs", "one_row")]
    of_ddqn = ("replay_size", "batch_size", "learning_starts", "target_update_every", "vectorized")
    numbers = chain(
        (getattr(config, name) for name in shared),
        (getattr(config, name, 0) for name in of_sarsa),
        [adam],
        (getattr(config, name, 0) for name in (*of_ddqn, "quirk_epsilon_stuck")),
    )
    return np.array(list(numbers), np.float64)


def table_arrays(game: Game) -> list[NDArray[Any]]:
    choices = np.argsort(~game.allowed, axis=1, kind="stable")
    bias = np.full((game.states, 1), game.vector_length)
    whole = (
        game.afterstates, choices, game.allowed.sum(axis=1), game.endings, game.replies,
        game.reply_counts, np.concatenate([game.features, bias], axis=1),
    )  # fmt: skip
    return [
        *(np.ascontiguousarray(array, np.int64) for array in whole),
        np.cumsum(game.start_probabilities),
    ]


def pcg64_words(rng: np.random.Generator) -> NDArray[np.uint64]:
    """State and increment of the generator, high half first."""
    state: Any = rng.bit_generator.state
    numbers = (state["state"]["state"], state["state"]["inc"])
    return np.array([part for number in numbers for part in divmod(number, 2**64)], np.uint64)


def _sarsa(config: MiniChessConfig) -> Sarsa:
    assert isinstance(config, SarsaConfig)
    return Sarsa(config)


def _address(array: NDArray[Any]) -> ctypes.c_void_p:
    return array.ctypes.data_as(ctypes.c_void_p)


@cache
def _library() -> ctypes.CDLL:
    source = Path(__file__).with_name("learners.cpp")
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / "listings.so"
        subprocess.run([COMPILER, *OPTIONS, str(source), "-o", str(built)], check=True)
        return ctypes.CDLL(str(built))
